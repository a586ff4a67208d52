"""Bar charts as SVG, one panel below the other, without any library."""

from html import escape

COLORS = ["#9a9a9a", "#d08c2e", "#3b7dd8", "#1d4f91", "#4a9c5d", "#a33c4e"]
LEFT, WIDTH, HEIGHT, ABOVE, BELOW = 56, 1000, 200, 46, 34


def text(x, y, words, anchor="middle", size=11, weight="normal"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}">{escape(words)}</text>'


def steps(low, high):
    """Where lines go: some five, at round numbers."""
    step = next(s for e in range(-4, 4) for s in (10**e, 2 * 10**e, 5 * 10**e) if (high - low) / s <= 6)
    return [i * step for i in range(int(low // step), int(high // step) + 2)]


def panel(top, title, series, groups):
    """groups: (label, a value for each series, or None)."""
    values = [value for _, bars in groups for value in bars if value is not None]
    marks = steps(min(0, *values), max(values))
    low, high = marks[0], marks[-1]
    at = lambda value: top + ABOVE + HEIGHT * (high - value) / (high - low)
    parts = [text(LEFT, top + 16, title, "start", 14, "bold")]
    for i, name in enumerate(series):
        x = LEFT + i * 200
        parts += [f'<rect x="{x}" y="{top + 25}" width="10" height="10" fill="{COLORS[i]}"/>', text(x + 15, top + 34, name, "start")]
    for mark in marks:
        parts += [f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{at(mark):.1f}" y2="{at(mark):.1f}" stroke="#{"000" if mark == 0 else "ddd"}"/>',
                  text(LEFT - 6, at(mark) + 4, f"{mark:g}", "end")]
    room = WIDTH / len(groups)
    bar = 0.8 * room / len(series)
    for g, (label, bars) in enumerate(groups):
        parts.append(text(LEFT + (g + 0.5) * room, top + ABOVE + HEIGHT + 18, label, size=min(11, 1.9 * room / max(len(label), 1))))
        for i, value in enumerate(bars):
            if value is not None:
                y = min(at(value), at(0))
                parts.append(f'<rect x="{LEFT + g * room + 0.1 * room + i * bar:.1f}" y="{y:.1f}" width="{bar:.1f}" '
                             f'height="{abs(at(value) - at(0)):.1f}" fill="{COLORS[i]}"><title>{escape(label)}, {escape(series[i])}: {value:.3g}</title></rect>')
    return parts


def write(path, panels):
    """panels: (title, series, groups)."""
    each, parts = ABOVE + HEIGHT + BELOW, []
    for i, (title, series, groups) in enumerate(panels):
        parts += panel(i * each + 4, title, series, groups)
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 10} {each * len(panels) + 8}" font-family="sans-serif">\n'
                   '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")
