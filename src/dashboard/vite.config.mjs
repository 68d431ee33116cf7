import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = dirname(fileURLToPath(import.meta.url))

/** Builds the dashboard into dist/dashboard, under the path where the service serves it. */
export async function buildDashboard() {
  await build({
    root,
    base: '/dashboard/',
    configFile: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: '../../dist/dashboard',
      emptyOutDir: true,
      assetsDir: '_assets',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  })
}
