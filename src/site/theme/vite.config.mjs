// Builds what readers' browsers load: dist/theme/ with hashed names and manifest.json, read by assets.ts.
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { build } from 'vite'

const here = dirname(fileURLToPath(import.meta.url))
const out = join(here, '../../../dist/theme')
const base = '/_quire/'

/** Parts of Mermaid that cost more than all the others and that documentation hardly draws with. */
const heavy = /^(?:katex|elkjs)(?:\/.*)?$|\/(?:swimlanes|wardleyDiagram|vennDiagram|ishikawaDiagram)-/

/** Of what generators of samples import, for browsers. */
const nodeModules = [{ find: /^(?:url|formdata-to-string)$/, replacement: join(here, 'playground/node-modules.ts') }]

/** Builds one entry and gives back its output files. */
async function bundle(name, entry, define = {}, plugins = []) {
  const result = await build({
    root: here,
    base,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define,
    plugins,
    resolve: { alias: nodeModules },
    build: {
      write: false,
      modulePreload: false,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rolldownOptions: {
        input: { [name]: join(here, entry) },
        // What another script imports.
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name]-[hash].js', assetFileNames: '[name]-[hash][extname]' },
      },
    },
  })
  return result.output.map((file) => ({ name: file.fileName, bytes: Buffer.from(file.code ?? file.source) }))
}

/** Components of pages, for browsers: with the runtime that islands have, and without what only builds have. */
function inIslands(runtime) {
  const others = new Map([
    ['./icons.ts', join(here, 'islands/icons.ts')],
    ['katex', join(here, 'islands/katex.ts')],
  ])
  return {
    name: 'quire:components-of-islands',
    enforce: 'pre',
    resolveId: (id) =>
      id === './runtime.ts' ? { id: `./${runtime}`, external: 'relative' } : (others.get(id) ?? null),
  }
}

/**
 * The page of the diagram frame: one file, because a frame without an origin may load no module, and with its own
 * Content-Security-Policy inside, so that it holds however the file is served. It allows one script, by its hash.
 */
async function mermaidFrame() {
  const drawing = await rolldown({
    input: join(here, 'mermaid/frame.ts'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [
      {
        name: 'quire:lean-mermaid',
        resolveId: (id) => (heavy.test(id) ? '\0absent' : null),
        load: (id) => (id === '\0absent' ? 'export default undefined' : null),
      },
    ],
  })
  const { output } = await drawing.generate({ format: 'iife', codeSplitting: false, minify: true })
  await drawing.close()
  const code = output[0].code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
  const policy = `default-src 'none'; script-src 'sha256-${createHash('sha256').update(code).digest('base64')}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>Diagram</title><style>html{background:transparent}body{margin:0;display:flow-root}svg{display:block;margin:0 auto;max-width:100%;height:auto}</style><body><script>${code}</script></body></html>`
  return {
    csp: `sandbox allow-scripts; ${policy}`,
    name: `mermaid-${createHash('sha256').update(html).digest('base64url').slice(0, 8)}.html`,
    bytes: Buffer.from(html),
  }
}

export async function buildTheme() {
  const path = (files, ending) => base + files.find(({ name }) => name.endsWith(ending)).name
  const frame = await mermaidFrame()
  const zoom = await bundle('zoom', 'client/zoom.ts')
  const frames = { quireMermaidFrame: JSON.stringify(base + frame.name) }
  const mermaid = await bundle('mermaid', 'mermaid/page.ts', frames)
  const live = await bundle('live', 'live/frame.ts', frames)
  const [local] = await bundle('local', 'live/local.ts', frames)
  const preview = await bundle('preview', 'client/preview.ts')
  const styles = await bundle('style', 'css/index.css')
  const askStyle = (await bundle('ask-style', 'css/ask.css')).filter(({ name }) => name.endsWith('.css'))
  const askBox = await bundle('ask-box', 'client/ask-box.ts')
  const feedbackStyle = (await bundle('feedback-style', 'css/feedback.css')).filter(({ name }) => name.endsWith('.css'))
  const feedback = await bundle('feedback', 'client/feedback.ts')
  const extras = (await bundle('extras', 'css/extras.css')).filter(({ name }) => name.endsWith('.css'))
  const filters = await bundle('filters', 'client/filters.ts')
  const apiStyle = (await bundle('api-style', 'css/api.css')).filter(({ name }) => name.endsWith('.css'))
  const playgroundStyle = (await bundle('playground-style', 'css/playground.css')).filter(({ name }) =>
    name.endsWith('.css'),
  )
  const playgroundBox = await bundle('playground-box', 'playground/box.ts')
  const playground = await bundle('playground', 'client/playground.ts', {
    quirePlaygroundBox: JSON.stringify(path(playgroundBox, '.js')),
    quirePlaygroundStyle: JSON.stringify(path(playgroundStyle, '.css')),
  })
  const analytics = await bundle('analytics', 'client/analytics.ts')
  const integrations = await bundle('integrations', 'client/integrations.ts')
  const islandRuntime = await bundle('island-runtime', 'islands/runtime.ts')
  const islandComponents = await bundle('island-components', 'islands/components.ts', {}, [
    inIslands(islandRuntime[0].name),
  ])
  const islands = await bundle('islands', 'islands/loader.ts', {
    quireIslandRuntime: JSON.stringify(path(islandRuntime, '.js')),
  })
  const changelog = (await bundle('changelog', 'css/changelog.css')).find(({ name }) => name.endsWith('.css'))
  const entries = (await bundle('entries', 'css/entries.css')).filter(({ name }) => name.endsWith('.css'))
  const searchStyle = (await bundle('search-style', 'css/search.css')).filter(({ name }) => name.endsWith('.css'))
  const searchBox = await bundle('search-box', 'client/search-box.ts')
  const main = await bundle('main', 'client/main.ts', {
    quireZoom: JSON.stringify(path(zoom, '.js')),
    quireSearchBox: JSON.stringify(path(searchBox, '.js')),
    quireSearchStyle: JSON.stringify(path(searchStyle, '.css')),
  })
  const ask = await bundle('ask', 'client/ask.ts', {
    quireAskBox: JSON.stringify(path(askBox, '.js')),
    quireAskStyle: JSON.stringify(path(askStyle, '.css')),
  })
  const files = [
    frame,
    ...main,
    ...zoom,
    ...mermaid,
    ...live,
    ...preview,
    ...ask,
    ...askBox,
    ...askStyle,
    ...feedback,
    ...feedbackStyle,
    ...analytics,
    ...integrations,
    ...extras,
    ...filters,
    ...islands,
    ...islandRuntime,
    ...islandComponents,
    ...apiStyle,
    ...playground,
    ...playgroundBox,
    ...playgroundStyle,
    ...entries,
    ...searchBox,
    ...searchStyle,
    ...styles,
  ].filter(({ name }) => !name.startsWith('style-') || !name.endsWith('.js'))

  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  for (const { name, bytes } of [...files, changelog, local]) {
    mkdirSync(dirname(join(out, name)), { recursive: true })
    writeFileSync(join(out, name), bytes)
  }
  // As well as it goes, for the service to send as it is.
  for (const { name, bytes } of files) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(join(out, `${name}.br`), brotliCompressSync(bytes, { params }))
    writeFileSync(join(out, `${name}.gz`), gzipSync(bytes, { level: 9 }))
  }
  const manifest = {
    css: path(styles, '.css'),
    script: path(main, '.js'),
    features: {
      mermaid: path(mermaid, '.js'),
      preview: path(preview, '.js'),
      ask: path(ask, '.js'),
      live: path(live, '.js'),
      feedback: path(feedback, '.js'),
      'feedback-style': path(feedbackStyle, '.css'),
      analytics: path(analytics, '.js'),
      integrations: path(integrations, '.js'),
      extras: path(extras, '.css'),
      filters: path(filters, '.js'),
      islands: path(islands, '.js'),
      api: path(apiStyle, '.css'),
      playground: path(playground, '.js'),
    },
    islands: { runtime: path(islandRuntime, '.js'), components: path(islandComponents, '.js') },
    changelog: changelog.name,
    local: local.name,
    entries: path(entries, '.css'),
    files: files.map(({ name, csp }) => ({ name, csp })),
  }
  writeFileSync(join(out, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
