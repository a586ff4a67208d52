// speedscope.js BUNDLE FILE...: what the importers of a released speedscope see in each file, as JSON:
// {FILE: {unit, total, self: {function: weight}}}. The bundle is a program for browsers: it gets a page that
// answers everything with nothing, and ends when it tries to draw; its importers are there by then.
const fs = require('fs'), path = require('path'), vm = require('vm')
const [, , bundle, ...files] = process.argv
const nothing = new Proxy(function () {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => '' : key === Symbol.iterator ? [][Symbol.iterator].bind([])
    : key === 'length' ? 0 : key === 'Long' || key === 'dcodeIO' ? undefined : nothing,
  set: () => true, apply: () => nothing, construct: () => nothing, has: () => true
})
const page = { console: { ...console, log() {}, warn() {}, error() {} }, setTimeout, clearTimeout, TextDecoder, TextEncoder, URL,
  atob, btoa, performance, WebAssembly, requestAnimationFrame: () => 0 }
for (const name of ['window', 'document', 'localStorage', 'navigator', 'location', 'history', 'self', 'fetch', 'Image',
  'MutationObserver', 'ResizeObserver', 'FileReader']) page[name] = nothing
page.globalThis = page
const source = fs.readFileSync(bundle, 'utf8').replace(
  /async function \w+\(\w+,\w+\)\{return\(await (\w+)\)\.importProfileGroupFromText/, 'globalThis.importers=$1;$&')
try { vm.runInNewContext(source, page) } catch (drawing) { }

async function look(importers, file) {
  const bytes = fs.readFileSync(file)
  const group = await importers.importProfilesFromArrayBuffer(path.basename(file),
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  const seen = { unit: null, total: 0, profiles: group.profiles.length, self: Object.create(null) }
  for (const profile of group.profiles) {
    seen.unit = profile.getWeightUnit()
    seen.total += profile.getTotalWeight()
    profile.forEachFrame(frame => { seen.self[frame.name] = (seen.self[frame.name] || 0) + frame.getSelfWeight() })
  }
  return seen
}

(async () => {
  const importers = await page.importers, seen = {}
  if (!importers) throw new Error('the bundle has no importers where they are looked for')
  for (const file of files) seen[path.basename(file)] = await look(importers, file)
  console.log(JSON.stringify(seen))
})().catch(error => { console.error(error); process.exit(1) })
