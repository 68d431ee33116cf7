/** `quire` with its UI, as a program of its own: what it runs when it opens is compiled ahead. */
export { main } from '../main.ts'
export { warmUp as compileAhead } from './warm-up.ts'
