// Builds `dist/`: Node programs with Rolldown, what runs in a browser with Vite.
// `node scripts/build.mjs [name …]` builds only those.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
  'render-child': { input: 'src/site/render/start.ts', external: native, format: 'cjs' },
  'render-child/main': { input: 'src/site/render/child.ts', external: native, format: 'cjs', isAscii: true },
  'render-compile': { input: 'src/site/render/compile.ts', external: packages },
  quire: { input: 'cli/main.ts', external: native, banner: '#!/usr/bin/env node' },
}

async function buildProgram(name) {
  const { input, external, banner, format = 'esm', isAscii = false } = programs[name]
  if (!existsSync(input)) return
  const extension = format === 'cjs' ? 'cjs' : 'js'
  const bundle = await rolldown({
    input: { [name]: input },
    platform: 'node',
    external: (id) => [external].flat().some((pattern) => pattern.test(id)),
    onLog: (level, log, handler) => (harmless.has(log.code) ? undefined : handler(level, log)),
  })
  await bundle.write({
    dir: 'dist',
    format,
    sourcemap: true,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `${name.replace(/\/main$/, '')}/[name]-[hash].${extension}`,
    ...(banner === undefined ? {} : { banner: (chunk) => (chunk.isEntry ? banner : '') }),
  })
  await bundle.close()
  if (isAscii) await escapeWide(join('dist', `${name}.${extension}`))
}

/** Escapes what is beyond ASCII. In `String.raw` that would be another text. */
async function escapeWide(file) {
  const text = await readFile(file, 'utf8')
  const wideRaw = /String\.raw`[^`]*[^\0-\x7f]/.exec(text)
  if (wideRaw !== null) throw new Error(`Not to be escaped: ${wideRaw[0]}`)
  await writeFile(
    file,
    text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

const assets = {
  icons: async () => (await import('./icons.mjs')).buildIcons(),
  patterns: async () => (await import('./patterns.mjs')).buildPatterns(),
  // What children render before a project comes.
  warmup: () => cp('src/site/render/pages', 'dist/warmup', { recursive: true }),
  // Runs the child with the two above.
  'compiled-child': () => execFileSync(process.execPath, ['dist/render-compile.js'], { stdio: 'inherit' }),
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
