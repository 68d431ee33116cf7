import manifest from '../package.json' with { type: 'json' }
import { openCompiled } from '../src/lib/compiled.ts'
import type * as program from './main.ts'

/** `quire`. With `--compile` as the first argument, compiles ahead the code that the rest would run. */

const words = process.argv.slice(2)

/** The first word that is neither an option nor the value of one. */
const command = words.find(
  (word, index) => !word.startsWith('-') && !/^--(?:url|project)$/.test(words[index - 1] ?? ''),
)

// Asked for by scripts and by people who wonder what they have: answered before anything else is loaded.
if (/^(?:-v|-V|--version)$/.test(words[0] ?? '')) console.log(manifest.version)
else {
  // The same program three times: alone, with the UI, and with what builds sites. Those two take most of it.
  const needs =
    command === undefined || command === 'ui' ? 'ui' : /^(?:dev|check|import)$/.test(command) ? 'dev' : 'quire'
  const { main } = await openCompiled<typeof program>(needs)
  await main()
}
