// Copies the parser of source code and the grammars of the languages that `quire generate` reads into `dist/grammars/`:
// WebAssembly all, so nothing is compiled where the command line is installed.
import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const languages = ['typescript', 'tsx', 'javascript', 'python', 'go', 'rust', 'java']

export async function buildGrammars() {
  const folder = dirname(require.resolve('@vscode/tree-sitter-wasm/package.json'))
  await mkdir('dist/grammars', { recursive: true })
  await copyFile(require.resolve('web-tree-sitter/web-tree-sitter.wasm'), 'dist/grammars/web-tree-sitter.wasm')
  for (const name of languages) {
    const file = `tree-sitter-${name}.wasm`
    await copyFile(join(folder, 'wasm', file), join('dist/grammars', file))
  }
}
