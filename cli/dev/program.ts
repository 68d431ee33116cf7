/** `quire` with what builds sites, as a program of its own: most commands need none of it, and start without. */
export { main } from '../main.ts'
export { buildOnce as compileAhead } from './site.ts'
