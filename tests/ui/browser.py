"""A Chromium and a gait view for tests of pages."""
import json
import subprocess
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

failures = 0


def check(what, good, more=''):
    global failures
    if not good:
        failures += 1
        print('FAILED:', what, more)


def command(*words):
    """What a gait command prints as JSON."""
    return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)


class Server:
    """gait view of profiles; .url is its address."""

    def __init__(self, gait, *words):
        self.process = subprocess.Popen([gait, 'view', '--no-open', *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        check('the server ends with 0', self.process.wait(10) == 0)


class Browser:
    def __init__(self, shots):
        options = Options()
        options.binary_location = '/usr/bin/chromium'
        for word in ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
                     '--disable-background-networking', '--no-first-run'):
            options.add_argument(word)
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
        self.driver = webdriver.Chrome(service=Service('/usr/bin/chromedriver'), options=options)
        self.shots = shots
        self.size(1280, 800)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def size(self, width, height):
        self.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride',
                                    {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': False})

    def theme(self, name):
        self.driver.execute_cdp_cmd('Emulation.setEmulatedMedia',
                                    {'features': [{'name': 'prefers-color-scheme', 'value': name}]})

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, seconds=20):
        """Until the script returns something true, which is returned."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            got = self.run(script)
            if got:
                return got
            time.sleep(0.02)
        check('in time: ' + script, False)
        return None

    def open(self, url, fragment=''):
        """A page, loaded anew and complete."""
        self.driver.get('about:blank')
        self.driver.get(url + '#' + fragment)
        self.wait("return document.getElementById('page')?.dataset.state === 'ready'")

    def shot(self, name):
        self.driver.save_screenshot(f'{self.shots}/{name}.png')

    def complaints(self):
        """What the console said."""
        return [entry['message'] for entry in self.driver.get_log('browser')]

    def requests(self):
        """Every address that the page asked for."""
        asked = []
        for entry in self.driver.get_log('performance'):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.requestWillBeSent':
                asked.append(message['params']['request']['url'])
        return asked
