"""What tests of pages share: profiles that are recorded once, a gait view, and a Chromium.

A test is one file, tests/ui/NAME.py:

    #!/usr/bin/python3 -B
    \"\"\"What the test is about.\"\"\"
    from lib.ui import check, gait_json, profile, run

    data = profile('program')

    def functions(page):
        page.open('functions', sort='-time')
        check('the first function', page.rows()[0]['function'] == ..., page.rows()[0])
        page.click('thead th button')
        page.type('#page input[type=search]', 'find')

    run([data], functions)

run() fails on what the console says, on a problem that a page shows, and on any request that does
not go to the server. A step that waits does so for a state, never for a time.
"""
import contextlib
import ctypes
import fcntl
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
os.chdir(TOP)
OUT = os.path.abspath(os.environ.get('GAIT_OUT', 'o/rel'))
GAIT = OUT + '/gait'
SHOTS = os.environ.get('GAIT_SHOTS', OUT + '/ui')  # stay: what a person looks at when a check fails
failures = 0


def check(what, good, more=''):
    """Says what does not hold; returns whether it does."""
    global failures
    if not good:
        failures += 1
        print('FAILED:', what, more, flush=True)
    return bool(good)


def same(what, expected, got):
    return check(what, expected == got, f'expected {expected!r}, got {got!r}')


def finish():
    print('ok' if not failures else f'{failures} failed')
    sys.exit(failures > 0)


def skip(why):
    print(why)
    sys.exit(77)


# ---- what a test needs

for _command, _package in (('chromium', 'chromium'), ('chromedriver', 'chromium-driver')):
    if not shutil.which(_command):
        skip(f'{_command} is not installed (apt-get install {_package})')
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.keys import Keys
except ImportError:
    skip('selenium is not installed (apt-get install python3-selenium)')
try:
    ctypes.CDLL('libmicrohttpd.so.12')
except OSError:
    skip('libmicrohttpd12 is not installed (apt-get install libmicrohttpd12)')
if not os.access(GAIT, os.X_OK):
    print('FAILED:', GAIT, 'is not built')
    sys.exit(1)


def program(name):
    """A test program of ours (tests/programs), built."""
    path = f'{OUT}/programs/{name}'
    if not os.access(path, os.X_OK):
        subprocess.run(['make', '-s', os.path.relpath(path)], check=True, stdout=sys.stderr)
    return path


# Options of record, and the command. 'real' is a large program with names and lines that is on every
# machine that runs these tests: gait itself, which reads 'program'.
PROFILES = {
    'program': ('-F 2000 --seed 1', lambda: [program('orders'), '8000', '2']),
    'other': ('-F 2000 --seed 2', lambda: [program('orders'), '6000', '1']),
    'values': ('-F 2000 --seed 1 --events edge,call,stack,value,latency,address', lambda: [program('orders'), '4000', '2']),
    'exact': ('--exact=counts', lambda: [program('orders'), '50', '2']),
    'paths': ('--exact=paths', lambda: [program('orders'), '50', '2']),
    'contexts': ('--exact=contexts', lambda: [program('orders'), '50', '2']),
    'modelled': ('--exact=trace --core zen4', lambda: [program('orders'), '2', '1']),
    'waits': ('-F 2000 --seed 1', lambda: [program('locks'), '300']),
    'real': ('-F 4000 --seed 1', lambda: [GAIT, 'report', '--by', 'edge', '--json', profile('program')]),
}


def profile(name, options=None, command=None):
    """The path of a profile; recorded once for all tests of a build. Other ones than those of
    PROFILES: profile('NAME', 'OPTIONS', ['PROGRAM', 'ARGUMENT'])."""
    if options is None:
        options, make = PROFILES[name]
        command = make()
    folder = OUT + '/ui/profiles'
    os.makedirs(folder, exist_ok=True)
    build = ''.join(str(os.stat(path).st_mtime_ns) for path in (GAIT, OUT + '/libgait.so', command[0]))
    key = hashlib.sha256('\0'.join([options, *command, build]).encode()).hexdigest()[:12]
    path = f'{folder}/{name}-{key}.data'
    with open(f'{folder}/{name}.lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            for old in os.listdir(folder):
                if old.startswith(name + '-') and len(old) == len(os.path.basename(path)):
                    os.unlink(f'{folder}/{old}')
            subprocess.run([GAIT, 'record', '-q', *options.split(), '-o', path + '.new', '--', *command],
                           check=True, stdout=subprocess.DEVNULL)
            subprocess.run([GAIT, 'verify', path + '.new'], check=True, stdout=subprocess.DEVNULL)
            os.rename(path + '.new', path)
    return path


@functools.cache
def gait_json(*words):
    """What a gait command prints: gait_json('report', '--by', 'line', data)."""
    done = subprocess.run([GAIT, words[0], '--json', *words[1:]], capture_output=True)
    if done.returncode:
        raise RuntimeError(f'gait {" ".join(words)}: {done.stderr.decode()}')
    return json.loads(done.stdout)


class Server:
    """gait view; .url is its address. Server(data), Server('--diff', before, after)."""

    def __init__(self, *words, prefix=()):
        self.process = subprocess.Popen([*prefix, GAIT, 'view', '--no-open', *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError('gait view: ' + self.process.communicate()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        said = self.process.communicate(timeout=30)[1]
        check('the server ends with 0', self.process.returncode == 0, said)


# ---- the browser

# Pages that a document shows have numbers. Returns that of the page that is complete, if it is a later one.
READY = """const {state, shows} = document.getElementById('page')?.dataset ?? {};
return state === 'ready' && Number(shows) > arguments[0] && Number(shows);"""
# An address that is there already is shown anew. Returns which page was shown before.
GO = """const before = location.hash, shown = Number(document.getElementById('page').dataset.shows ?? 0);
location.hash = arguments[0];
if (location.hash === before) dispatchEvent(new HashChangeEvent('hashchange'));
return shown;"""


class Browser:
    """One window of Chromium. Selectors are CSS; where there are several matches, the first."""

    def __init__(self):
        self.home = tempfile.mkdtemp(prefix='gait-ui-')
        options = Options()
        options.binary_location = shutil.which('chromium')
        for word in ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
                     '--disable-background-networking', '--disable-component-update', '--disable-sync',
                     '--hide-scrollbars', '--force-color-profile=srgb', f'--user-data-dir={self.home}/data', 'about:blank'):
            options.add_argument(word)
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
        service = Service(shutil.which('chromedriver'), env={**os.environ, 'HOME': self.home})
        self.driver = webdriver.Chrome(service=service, options=options)
        self.url = None       # of the server, or of a file
        self.loaded = None    # the same, of the document that is there
        self.shown = 0        # which of its pages was complete
        self.expected = []    # parts of what the console may say
        self.problems = True  # a problem that a page shows is a failure
        self.size(1280, 800)
        os.makedirs(SHOTS, exist_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()
        shutil.rmtree(self.home, ignore_errors=True)

    # -- how it looks

    def size(self, width, height):
        self.cdp('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, name):
        """'light' or 'dark', as the system would say."""
        self.cdp('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': name}])

    def shot(self, name):
        self.driver.save_screenshot(f'{SHOTS}/{name}.png')

    # -- going places

    def cdp(self, method, **params):
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(method, params)

    def load(self, fragment=''):
        """An address, loaded anew; not waited for."""
        if self.loaded == self.url:  # the browser's process stays
            self.run("history.replaceState(null, '', '#' + arguments[0])", fragment)
            self.driver.refresh()
        else:
            self.driver.get(self.url + '#' + fragment)
        self.loaded = self.url
        self.shown = 0

    def open(self, page='', fresh=False, **params):
        """A page, complete: open('functions', sort='-time'). As links do it, in the document that is there; fresh:
        in a new one, which takes five times as long."""
        fragment = page + ('?' + urllib.parse.urlencode(params) if params else '')
        if fresh or self.loaded != self.url:
            self.load(fragment)
        else:
            self.shown = self.run(GO, fragment)
        self.ready()
        if self.problems:
            problem = self.run("return document.querySelector('#page [role=alert]')?.innerText")
            check(f'{page or "the first page"} shows no problem', not problem, problem)

    def ready(self):
        """Until another page than the last is complete; after a click that leads to it."""
        self.shown = self.wait(READY, self.shown)

    def pages(self):
        """What the list on the left offers, by the names that open() takes."""
        return self.run("return [...document.querySelectorAll('#nav a')].map((a) => a.getAttribute('href').slice(1))")

    # -- looking and touching

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, *arguments, seconds=20):
        """Until the script, called after each frame, returns something true, which is returned."""
        self.driver.set_script_timeout(seconds + 5)
        got = self.driver.execute_async_script(
            'const done = arguments[arguments.length - 1], given = [...arguments].slice(0, -1), '
            f'end = performance.now() + {1000 * seconds};\n'
            'const look = () => {\n'
            f'  let got; try {{ got = (function () {{ {script} }}).apply(null, given); }} catch (e) {{ return done({{error: String(e)}}); }}\n'
            '  if (got || performance.now() > end) done({got}); else setTimeout(look, 5);\n'
            '};\nlook();', *arguments)
        if 'error' in got:
            raise RuntimeError(f'{got["error"]} in {script}')
        check('in time: ' + script, got.get('got'))
        return got.get('got')

    def element(self, selector, text=None):
        """The first match, waited for; with a text, the first that holds it."""
        return self.wait('return [...document.querySelectorAll(arguments[0])]'
                         '.find((e) => arguments[1] === null || e.innerText?.includes(arguments[1]) || e.textContent.includes(arguments[1]))',
                         selector, text)

    def text(self, selector='#page'):
        """What is to be read there."""
        return self.element(selector).text

    def texts(self, selector):
        return self.run('return [...document.querySelectorAll(arguments[0])].map((e) => (e.innerText ?? e.textContent).trim())', selector)

    def wait_text(self, selector, text, seconds=20):
        """Until the text is there."""
        return self.wait('return [...document.querySelectorAll(arguments[0])].some((e) => (e.innerText ?? e.textContent).includes(arguments[1]))',
                         selector, text, seconds=seconds)

    def click(self, selector, text=None):
        """A click of the mouse, in the middle; click('a', 'Functions')."""
        element = self.element(selector, text)
        self.run("arguments[0].scrollIntoView({block: 'nearest'})", element)
        element.click()

    def type(self, selector, text):
        """Into a field, whose text it replaces."""
        element = self.element(selector)
        element.clear()
        element.send_keys(text)

    def keys(self, *keys):
        """To whatever has the focus: keys('/'), keys(Keys.ARROW_DOWN, Keys.ENTER)."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def rows(self, selector='#page table'):
        """Rows of a table that are drawn: [{title: text}]."""
        # As pairs: objects come with their names sorted.
        rows = self.run('''const table = document.querySelector(arguments[0]);
            const titles = [...table.querySelectorAll('thead th')].map((th) => th.innerText.trim().replace(/ [▾▴]$/, ''));
            return [...table.querySelectorAll('tbody tr:not(.gap)')].map((tr) =>
                [...tr.cells].map((td, i) => [titles[i], td.innerText.trim()]));''', selector)
        return [dict(row) for row in rows]

    # -- what must not be

    def said(self):
        """What the console said since the last time, but for what is expected."""
        return [entry['message'] for entry in self.driver.get_log('browser')
                if not any(part in entry['message'] for part in self.expected)]

    def requests(self):
        """Every address that the page asked for since the last time."""
        asked = []
        for entry in self.driver.get_log('performance'):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.requestWillBeSent':
                asked.append(message['params']['request']['url'])
        return asked

    def behaved(self):
        """Nothing in the console; no request but to the server or the file."""
        said, asked = self.said(), self.requests()
        check('nothing in the console', not said, said)
        # chrome: is Chromium's own first tab, which no page can ask for.
        other = [url for url in asked if not url.startswith((self.url, 'data:', 'about:', 'blob:', 'chrome:'))]
        check('requests go to the server alone', asked and not other, other)


@contextlib.contextmanager
def viewing(page, *words, prefix=()):
    """gait view of these words, in that browser; prefix: a command that starts it."""
    with Server(*words, prefix=prefix) as server:
        page.url = server.url
        yield page
        page.behaved()


@contextlib.contextmanager
def reading(page, *words):
    """A file of gait export --format html with these words, with the network off."""
    with tempfile.TemporaryDirectory(prefix='gait-ui-') as folder:
        path = folder + '/report.html'
        subprocess.run([GAIT, 'export', '-q', '--format', 'html', '-o', path, *words], check=True)
        page.url = 'file://' + path
        page.cdp('Network.enable')
        page.cdp('Network.emulateNetworkConditions', offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        yield path
        page.behaved()
        page.cdp('Network.emulateNetworkConditions', offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)


def attempt(page, test, *more):
    """Runs a test; what it raises is a failure, with a picture of the page."""
    before = failures
    try:
        test(page, *more)
    except Exception:  # the tests after it are worth running
        check(test.__name__, False, traceback.format_exc())
    if failures > before:
        page.shot('failed-' + test.__name__)


def run(words, *tests):
    """Runs each test(page) on a gait view of these words, and ends."""
    with Browser() as page:
        with viewing(page, *words):
            for test in tests:
                attempt(page, test)
    finish()
