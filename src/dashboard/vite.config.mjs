import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { build } from 'vite'

const root = dirname(fileURLToPath(import.meta.url))
const index = join(root, '../contract/index.ts')
const out = join(root, '../../dist/dashboard')

/**
 * The contract as the client needs it: method and path of each endpoint. Its schemas would be half of what a browser
 * loads, and only the service validates by them.
 */
const contractWithoutSchemas = {
  name: 'quire:contract-without-schemas',
  async load(id) {
    if (id !== index) return null
    const bundle = await rolldown({ input: index, platform: 'node' })
    const { output } = await bundle.generate({ format: 'esm' })
    await bundle.close()
    for (const file of await bundle.watchFiles) this.addWatchFile(file)
    const { contract } = await import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`)
    const endpoints = Object.entries(contract).map(([noun, operations]) => [
      noun,
      Object.fromEntries(Object.entries(operations).map(([verb, { method, path }]) => [verb, { method, path }])),
    ])
    return `export const contract = ${JSON.stringify(Object.fromEntries(endpoints))}`
  },
}

/** Compresses each file once, as well as it goes, for `http/pages/dashboard.ts` to send as it is. */
function compressAssets() {
  const assets = join(out, '_assets')
  if (!existsSync(assets)) return
  for (const name of readdirSync(assets)) {
    const bytes = readFileSync(join(assets, name))
    writeFileSync(
      join(assets, `${name}.br`),
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
    )
    writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }))
  }
}

/** Builds the dashboard into dist/dashboard, under the path where the service serves it. */
export async function buildDashboard() {
  await build({
    root,
    base: '/dashboard/',
    configFile: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [contractWithoutSchemas],
    build: {
      outDir: out,
      emptyOutDir: true,
      assetsDir: '_assets',
      assetsInlineLimit: 0,
      manifest: true,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        // Small things that many pages share come in one file: a request for each would cost more than they weigh.
        output: {
          codeSplitting: {
            groups: [
              {
                name: 'shared',
                test: /dashboard.(local-storage|query-client|ui.(?!diff|merge)|queries.(?!files)|pages.deploys)|lucide-react|@tanstack/,
                minShareCount: 4,
                maxModuleSize: 8_000,
              },
            ],
          },
        },
        // Marks of packages for servers that render React.
        onLog: (level, log, handler) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handler(level, log)),
        // What only makes schemas goes with the schemas.
        treeshake: { manualPureFunctions: ['Type', 'endpoint', 'listOf'] },
      },
    },
  })
  compressAssets()
}
