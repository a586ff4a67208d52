#!/usr/bin/python3
"""sql.py train|measure FOLDER: load.sql builds tables, indexes them and asks questions, and may be
read any number of times by one process. Answers depend on nothing but the text."""

import sys

from words import Source, sentence, vocabulary

ROWS = 2500

SCHEMA = """
DROP TABLE IF EXISTS person; DROP TABLE IF EXISTS sale; DROP TABLE IF EXISTS note;
CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, town TEXT, born INT);
CREATE TABLE sale(id INTEGER PRIMARY KEY, person INT, item TEXT, price REAL, day INT);
CREATE TABLE note(id INTEGER PRIMARY KEY, person INT, body TEXT);
"""

QUESTIONS = {
    "train": """
SELECT town, count(*), round(avg(born), 3) FROM person GROUP BY town ORDER BY 2 DESC, 1 LIMIT 10;
SELECT p.town, round(sum(s.price), 2) FROM sale s JOIN person p ON p.id = s.person GROUP BY p.town ORDER BY 2 DESC, 1 LIMIT 8;
SELECT item, max(price), min(day) FROM sale WHERE day BETWEEN 30 AND 200 GROUP BY item ORDER BY item LIMIT 12;
SELECT count(*) FROM note WHERE body LIKE '%an%st%';
UPDATE sale SET price = price * 1.5 WHERE day % 3 = 1;
SELECT round(total(price), 2) FROM sale;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT sum(i * i % 7) FROM n;
DELETE FROM person WHERE id % 7 = 3;
SELECT count(*) FROM sale WHERE person NOT IN (SELECT id FROM person);
""",
    "measure": """
SELECT s.item, count(DISTINCT p.town), round(sum(s.price), 2) FROM sale s JOIN person p ON p.id = s.person
  WHERE p.born > 1960 GROUP BY s.item HAVING count(*) > 3 ORDER BY 3 DESC, 1 LIMIT 10;
SELECT name, length(group_concat(body, ' ')) FROM person JOIN note ON note.person = person.id GROUP BY person.id ORDER BY 2 DESC, 1 LIMIT 9;
SELECT day, round(sum(price) OVER (ORDER BY day, id ROWS BETWEEN 20 PRECEDING AND CURRENT ROW), 2) AS w FROM sale ORDER BY w DESC, day LIMIT 7;
SELECT upper(substr(name, 1, 2)) AS k, count(*) FROM person WHERE town GLOB '*a*' GROUP BY k ORDER BY 2 DESC, 1 LIMIT 10;
WITH RECURSIVE c(a, b, i) AS (SELECT 1, 1, 1 UNION ALL SELECT b, (a + b) % 1000003, i + 1 FROM c WHERE i < 15000) SELECT max(a), sum(b) FROM c;
UPDATE person SET town = lower(town) || born % 5 WHERE id % 2 = 0;
SELECT town, count(*) FROM person GROUP BY town ORDER BY 2 DESC, 1 LIMIT 10;
SELECT a.id, b.id FROM sale a JOIN sale b ON a.person = b.person AND a.day < b.day AND a.item = b.item ORDER BY 1, 2 LIMIT 20;
DELETE FROM sale WHERE price < (SELECT avg(price) FROM sale);
SELECT count(*), max(day) FROM sale;
""",
}


def rows(source, words):
    towns, items = words[:40], words[40:90]
    yield "BEGIN;"
    for i in range(1, ROWS + 1):
        yield f"INSERT INTO person VALUES({i}, '{source.zipf(words)} {source.zipf(words)}', '{source.zipf(towns)}', {1930 + source.below(80)});"
        yield f"INSERT INTO sale(person, item, price, day) VALUES({1 + source.below(ROWS)}, '{source.zipf(items)}', {source.below(100000) / 100}, {source.below(365)});"
        if i % 3 == 0:
            yield f"INSERT INTO note(person, body) VALUES({1 + source.below(ROWS)}, '{sentence(source, words)}');"
    yield "COMMIT; CREATE INDEX sale_person ON sale(person); CREATE INDEX note_person ON note(person);"


def main(which, folder):
    source = Source(f"{which} sql")
    words = vocabulary(source, 1200)
    with open(f"{folder}/load.sql", "w") as file:
        file.write(SCHEMA + "\n".join(rows(source, words)) + QUESTIONS[which])


main(sys.argv[1], sys.argv[2])
