// Builds `dist/`: Node programs with Rolldown, what runs in a browser with Vite.
// `node scripts/build.mjs [name …]` builds only those.
import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { rolldown } from 'rolldown'

/** Of packages, not of ours; the last is an empty `''` that a compiler left at the end of files. */
const harmless = new Set(['CIRCULAR_DEPENDENCY', 'EVAL', 'MODULE_LEVEL_DIRECTIVE'])

/** Packages stay outside where start-up does not matter; children and command line are bundled whole. */
const packages = /^(?!node:)[^./#]/
const native = [/^satteri/, /^@napi-rs\//, /\.node$/]

const programs = {
  server: { input: 'src/server.ts', external: packages },
  admin: { input: 'src/admin.ts', external: packages },
  demo: { input: 'scripts/demo.ts', external: packages },
  bench: { input: 'test/bench/main.ts', external: packages },
  soak: { input: 'test/soak/branches.ts', external: packages },
  'soak-webhooks': { input: 'test/soak/webhooks.ts', external: packages },
  'render-child': { input: 'src/site/render/child.ts', external: native },
  quire: { input: 'cli/main.ts', external: native, banner: '#!/usr/bin/env node' },
}

async function buildProgram(name) {
  const { input, external, banner } = programs[name]
  if (!existsSync(input)) return
  const bundle = await rolldown({
    input: { [name]: input },
    platform: 'node',
    external: (id) => [external].flat().some((pattern) => pattern.test(id)),
    onLog: (level, log, handler) => (harmless.has(log.code) ? undefined : handler(level, log)),
  })
  await bundle.write({
    dir: 'dist',
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: `${name}/[name]-[hash].js`,
    ...(banner === undefined ? {} : { banner: (chunk) => (chunk.isEntry ? banner : '') }),
  })
  await bundle.close()
}

const assets = {
  icons: async () => (await import('./icons.mjs')).buildIcons(),
  patterns: async () => (await import('./patterns.mjs')).buildPatterns(),
  // What children render before a project comes.
  warmup: () => cp('src/site/render/pages', 'dist/warmup', { recursive: true }),
  theme: async () => {
    if (existsSync('src/site/theme/vite.config.mjs'))
      await (await import('../src/site/theme/vite.config.mjs')).buildTheme()
  },
  dashboard: async () => {
    if (existsSync('src/dashboard/vite.config.mjs'))
      await (await import('../src/dashboard/vite.config.mjs')).buildDashboard()
  },
}

const wanted = process.argv.slice(2)
for (const name of wanted.length > 0 ? wanted : [...Object.keys(programs), ...Object.keys(assets)]) {
  if (name in programs) await buildProgram(name)
  else if (name in assets) await assets[name]()
  else
    throw new Error(
      `No such part: ${name}. There are ${[...Object.keys(programs), ...Object.keys(assets)].join(', ')}.`,
    )
}
