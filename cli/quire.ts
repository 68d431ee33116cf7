import manifest from '../package.json' with { type: 'json' }
import type * as program from './main.ts'

/** `quire`. `--compile` as the only argument compiles the code of the UI ahead. */

const words = process.argv.slice(2)

/** The same program twice: the UI takes most of it, and code that was compiled ahead; a command takes some of many parts. */
async function load(): Promise<typeof program> {
  if (words.length > 0 && !words.includes('ui') && words[0] !== '--compile') return import('./main.ts')
  const { openCompiled } = await import('../src/lib/compiled.ts')
  return openCompiled<typeof program>('quire')
}

// Asked for by scripts and by people who wonder what they have: answered before anything else is loaded.
if (/^(?:-v|-V|--version)$/.test(words[0] ?? '')) console.log(manifest.version)
else {
  const { main } = await load()
  await main()
}
