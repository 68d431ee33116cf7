// Builds `dist/`: Node programs with Rolldown, what runs in a browser with Vite. Each part has a stamp of what it was
// built from, and is built again only when that has changed.
// `node scripts/build/build.mjs [name …]` builds those, whatever their stamps say.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { ink } from './ink.mjs'
import { removeReplaced } from './replaced.mjs'

// Vite asks it what to build, and a test that builds what is stale sets it.
process.env['NODE_ENV'] = 'production'

const run = promisify(execFile)

/** Every part depends on them, and on the manifest but for its scripts. */
const common = [
  'package-lock.json',
  'tsconfig.json',
  'scripts/build/build.mjs',
  'scripts/build/ink.mjs',
  'scripts/build/replaced.mjs',
]

/** Of packages, not of ours; the last is an empty `''` that a compiler left at the end of files. */
const harmless = new Set(['CIRCULAR_DEPENDENCY', 'EVAL', 'MODULE_LEVEL_DIRECTIVE'])

/** Packages stay outside where start-up does not matter; the rest is bundled whole. */
const packages = /^(?!node:)[^./#]/
const native = [/^satteri/, /^koffi$/, /^@napi-rs\//, /\.node$/]

/**
 * Runs with the code that V8 compiles of it ahead: one file, in which a byte is a character. Without comments but for
 * licences: people get some of it over the network. Its lines stay, which stack traces show.
 */
const compiled = {
  external: native,
  format: 'cjs',
  isAscii: true,
  comments: { legal: true, annotation: false, jsdoc: false },
}

/** Where the UI and local previews begin: left out of programs that know of them and never open them. */
const startUi = /tui\/main\.ts$/
const startDev = /(?:dev\/(?:dev|check)|import\/import)\.ts$/

/** React’s production build. */
const withInk = { plugins: [ink], define: { 'process.env.NODE_ENV': '"production"' } }

const programs = {
  server: { input: 'src/server.ts', external: packages },
  service: { input: 'src/service.ts', external: packages },
  'serve/main': { input: 'src/serve.ts', isOneFile: true, ...compiled },
  traces: { input: 'src/traces.ts', external: native },
  admin: { input: 'src/admin.ts', external: packages },
  'administer/main': { input: 'src/administer.ts', isOneFile: true, ...compiled },
  demo: { input: 'scripts/demo/demo.ts', external: packages },
  bench: { input: 'scripts/tools/bench/main.ts', external: packages },
  reference: {
    input: 'scripts/release/reference/reference.ts',
    isOneFile: true,
    external: [packages, startUi, startDev],
  },
  screens: { input: 'scripts/release/screens.ts', external: packages },
  manual: { input: 'scripts/release/manual.ts', isOneFile: true, external: [packages, startUi, startDev] },
  load: { input: 'scripts/tools/load/main.ts', external: packages },
  crawl: { input: 'scripts/tools/crawl/main.ts', external: packages },
  moving: { input: 'scripts/tools/moving/main.ts', external: packages },
  descriptions: { input: 'scripts/tools/descriptions/main.ts', external: packages },
  soak: { input: 'scripts/tools/soak/branches.ts', external: packages },
  'soak-webhooks': { input: 'scripts/tools/soak/webhooks.ts', external: packages },
  'render-child': { input: 'src/site/render/start.ts', external: native, format: 'cjs' },
  'render-child/main': { input: 'src/site/render/fork-server.ts', ...compiled },
  'render-compile': { input: 'src/site/render/compile.ts', external: packages },
  'card-child': { input: 'src/site/cards/child.ts', isOneFile: true, external: native },
  'island-child': { input: 'src/site/islands/child.ts', isOneFile: true, external: [...native, /^rolldown$/] },
  'prose-child': { input: 'cli/tui/mdx/prose/child.ts', isOneFile: true, external: native },
  quire: { input: 'cli/quire.ts', isOneFile: true, external: native, banner: '#!/usr/bin/env node' },
  'quire/main': {
    input: 'cli/main.ts',
    isOneFile: true,
    ...compiled,
    ...withInk,
    external: [...native, startUi, startDev],
  },
  'ui/main': {
    input: 'cli/tui/program.ts',
    isOneFile: true,
    ...compiled,
    ...withInk,
    external: [...native, startDev],
  },
  'dev/main': {
    input: 'cli/dev/program.ts',
    isOneFile: true,
    ...compiled,
    ...withInk,
    external: [...native, startUi],
  },
}

/** @returns the files that it is built from */
async function buildProgram(name) {
  const {
    input,
    external,
    banner,
    comments = true,
    define = {},
    format = 'esm',
    isAscii = false,
    isOneFile = false,
    plugins = [],
  } = programs[name]
  if (!existsSync(input)) return []
  const { rolldown } = await import('rolldown')
  const extension = format === 'cjs' ? 'cjs' : 'js'
  const folder = name.replace(/\/main$/, '')
  const bundle = await rolldown({
    input: { [name]: input },
    platform: 'node',
    // Some packages have a `main` that finds its parts when it runs.
    resolve: { mainFields: ['module', 'main'] },
    transform: { define },
    plugins,
    external: (id) => [external].flat().some((pattern) => pattern.test(id)),
    onLog: (level, log, handler) => {
      // A program without one of its packages is not built: it would be taken for fresh when the package is there again.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
      if (!harmless.has(log.code)) handler(level, log)
    },
  })
  const { output } = await bundle.write({
    dir: 'dist',
    format,
    comments,
    entryFileNames: `[name].${extension}`,
    ...(isOneFile ? { codeSplitting: false } : { chunkFileNames: `${folder}/[name]-[hash].${extension}` }),
    ...(banner === undefined ? {} : { banner: (chunk) => (chunk.isEntry ? banner : '') }),
  })
  const files = await bundle.watchFiles
  await bundle.close()
  // A link to it is what people call.
  if (banner !== undefined) chmodSync(join('dist', `${name}.${extension}`), 0o755)
  if (isAscii) await finishCompiled(join('dist', `${name}.${extension}`))
  const written = new Set(output.map(({ fileName }) => join('dist', fileName)))
  if (name !== 'render-child') removeReplaced(join('dist', folder), written, `${partOf(name)}.replaced.json`)
  return files
    .map((file) => relative('.', file))
    .filter((file) => /^(?!\.\.|node_modules)/.test(file) && existsSync(file))
}

async function finishCompiled(file) {
  // Imports by the one who runs it, and a digest that tells which source compiled code is of: src/lib/compiled.ts.
  const ascii = narrow(await readFile(file, 'utf8')).replaceAll(/\bawait import\(/g, 'await importModule(')
  await replace(file, `/*${createHash('sha256').update(ascii).digest('hex')}*/${ascii}`)
}

/** A process that runs already may load it: it is never half there. */
async function replace(file, text) {
  const draft = `${file}.${process.pid}`
  await writeFile(draft, text)
  renameSync(draft, file)
}

/** Escapes what is beyond ASCII: a source of a byte a character needs half of the memory, and is read and compiled faster. In
 * `String.raw`, or behind a backslash, that would be another text. */
function narrow(text) {
  const wideRaw = /String\.raw`[^`]*[^\0-\x7f]|(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.exec(text)
  if (wideRaw !== null) throw new Error(`Not to be escaped: ${wideRaw[0]}`)
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Where what is known of a part is kept. */
const partOf = (name) => join('dist/.parts', name.replace('/', '-'))

const node = (...args) => run(process.execPath, args)

/** What was compiled ahead is only faster: where it cannot be, for want of Git perhaps, programs start without it. */
async function compile(program, ...words) {
  const home = mkdtempSync(join(tmpdir(), 'quire-build-'))
  try {
    // Neither the settings of a service that is about to start, nor what somebody's command line remembers.
    await run(process.execPath, [program, '--compile', ...words], { env: { PATH: process.env.PATH, HOME: home } })
    return true
  } catch (error) {
    console.error(`The code of ${program} could not be compiled ahead; it starts slower. ${error.stderr ?? error}`)
    return false
  } finally {
    rmSync(home, { recursive: true })
  }
}

/** What is no program: the folders or files that it is built from, and the parts that it needs. */
const assets = {
  icons: { from: ['scripts/data/icons.mjs'], build: async () => (await import('../data/icons.mjs')).buildIcons() },
  cards: { from: ['scripts/data/cards.mjs'], build: async () => (await import('../data/cards.mjs')).buildCards() },
  // Most of the work of a build: in a process of its own, beside the rest.
  patterns: {
    from: ['scripts/data/patterns.mjs', 'scripts/data/narrow.mjs', 'scripts/data/needs.mjs'],
    build: () =>
      node('--input-type=module', '-e', "await (await import('./scripts/data/patterns.mjs')).buildPatterns()"),
  },
  // What children render before a project comes.
  warmup: {
    from: ['src/site/render/pages'],
    build: () => cp('src/site/render/pages', 'dist/warmup', { recursive: true }),
  },
  // What the terminal UI shows before anybody signs in.
  sample: {
    from: ['fixtures/sample'],
    build: () => cp('fixtures/sample', 'dist/sample', { recursive: true }),
  },
  // What `quire init` writes.
  starter: {
    from: ['src/authoring/starter'],
    build: () => cp('src/authoring/starter', 'dist/starter', { recursive: true }),
    output: 'dist/starter/docs.json',
  },
  grammars: {
    from: ['scripts/data/grammars.mjs'],
    build: async () => (await import('../data/grammars.mjs')).buildGrammars(),
  },
  'compiled-child': {
    from: [],
    needs: ['render-child', 'render-child/main', 'render-compile', 'icons', 'patterns', 'warmup'],
    build: () => node('dist/render-compile.js'),
    output: 'dist/render-child/main.cache',
  },
  'compiled-service': {
    from: [],
    needs: ['service', 'serve/main', 'traces', 'compiled-child', 'theme', 'dashboard'],
    build: () => compile('dist/service.js'),
    output: 'dist/serve/main.cache',
  },
  'compiled-admin': {
    from: [],
    needs: ['admin', 'administer/main', 'theme'],
    build: () => compile('dist/admin.js'),
    output: 'dist/administer/main.cache',
  },
  'compiled-quire': {
    from: [],
    needs: ['quire', 'quire/main'],
    build: () => compile('dist/quire.js', 'deploy'),
    output: 'dist/quire/main.cache',
  },
  'compiled-ui': {
    from: [],
    needs: ['quire', 'ui/main', 'sample'],
    build: () => compile('dist/quire.js'),
    output: 'dist/ui/main.cache',
  },
  'compiled-dev': {
    from: [],
    needs: ['quire', 'dev/main', 'compiled-child', 'theme'],
    build: () => compile('dist/quire.js', 'dev'),
    output: 'dist/dev/main.cache',
  },
  // What `man quire` shows.
  man: {
    from: [],
    needs: ['manual'],
    build: () => mkdir('dist/man', { recursive: true }).then(() => node('dist/manual.js', 'dist/man/quire.1')),
    output: 'dist/man/quire.1',
  },
  package: {
    from: ['scripts/release/package.mjs', 'cli/README.md', 'LICENSE'],
    needs: [
      'man',
      'starter',
      'quire',
      'quire/main',
      'ui/main',
      'prose-child',
      'island-child',
      'grammars',
      'sample',
      'dev/main',
      'render-child',
      'render-child/main',
      'theme',
      'icons',
      'warmup',
    ],
    build: async () => (await import('../release/package.mjs')).buildPackage(),
    output: 'dist/package/quire.tgz',
  },
  theme: {
    from: ['client', 'css', 'islands', 'live', 'mermaid', 'words', 'vite.config.mjs'].map(
      (name) => `src/site/theme/${name}`,
    ),
    build: async () => (await import('../../src/site/theme/vite.config.mjs')).buildTheme(),
  },
  dashboard: {
    from: ['src/dashboard', 'src/authoring', 'src/client', 'src/contract', 'src/site/theme/css/tokens.css'],
    build: async () => (await import('../../src/dashboard/vite.config.mjs')).buildDashboard(),
  },
}

const { scripts: _scripts, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'))

const walk = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .sort()
        .flatMap((name) => walk(join(path, name)))
    : [path]

/** What parts are built from by name, each file read once. */
const digests = new Map()
function digestOf(file) {
  let digest = digests.get(file)
  if (digest === undefined) {
    digest = existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : 'missing'
    digests.set(file, digest)
  }
  return digest
}

function keyOf(files, needed) {
  const hash = createHash('sha256').update(process.version).update(JSON.stringify(manifest))
  for (const file of [...common, ...files]) hash.update(`${file}\0${digestOf(file)}\0`)
  for (const key of needed) hash.update(`${key}\0`)
  return hash.digest('hex')
}

const stampOf = (name) => `${partOf(name)}.json`

/** `{ key, files }` of the last build of a part. */
function readStamp(name) {
  try {
    return JSON.parse(readFileSync(stampOf(name), 'utf8'))
  } catch {
    return { key: '', files: [] }
  }
}

const made = new Map()
/** Told when the first part turns out not to be fresh; undefined when it has been told. */
let tellOfWork

/** Builds a part, after those that it needs, unless it is as it would be. Resolves with the key of what it is built from. */
function make(name, wanted) {
  let making = made.get(name)
  if (making === undefined) {
    making = makeOnce(name, wanted)
    made.set(name, making)
  }
  return making
}

async function makeOnce(name, wanted) {
  const { needs = [], from, output } = assets[name] ?? {}
  const started = Date.now()
  const needed = await Promise.all(needs.map((need) => make(need, wanted)))
  const stamp = readStamp(name)
  const before = from?.flatMap(walk) ?? stamp.files
  const isThere = output === undefined || existsSync(output)
  const isFresh = isThere && stamp.key !== '' && stamp.key === keyOf(before, needed)
  if (isFresh && !wanted.includes(name)) return stamp.key
  tellOfWork?.()
  tellOfWork = undefined
  // What is half built is not taken for built.
  rmSync(stampOf(name), { force: true })
  const files = name in assets ? (await assets[name].build()) !== false && before : await buildProgram(name)
  if (files === false) return ''
  const key = keyOf(files, needed)
  // A file that was saved meanwhile may be in it or not: it is built again the next time.
  if (files.some((file) => existsSync(file) && statSync(file).mtimeMs > started)) return key
  mkdirSync(dirname(stampOf(name)), { recursive: true })
  writeFileSync(stampOf(name), JSON.stringify({ key, files }))
  return key
}

const all = [...Object.keys(programs), ...Object.keys(assets)]

/** The code of a program, and what is compiled of it, belong to it. */
function isPartOf(part, name) {
  return part === `${name}/main` || part === `compiled-${name}`
}

/**
 * @param names parts to build whether they are fresh or not; without them, all that are not fresh
 * @param onWork called once, before anything is built
 * @returns whether anything was
 */
export async function build(names = [], onWork = () => undefined) {
  const unknown = names.find((name) => !all.includes(name))
  if (unknown !== undefined) throw new Error(`No such part: ${unknown}. There are ${all.join(', ')}.`)
  const wanted = all.filter((part) => names.some((name) => part === name || isPartOf(part, name)))
  let worked = false
  tellOfWork = () => {
    worked = true
    onWork()
  }
  await Promise.all((names.length > 0 ? wanted : all).map((part) => make(part, wanted)))
  return worked
}

if (process.argv[1] === import.meta.filename) await build(process.argv.slice(2))
