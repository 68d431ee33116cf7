import type { Ending } from './worker.ts'

/** What to tell the author of a page that cost its child. */
export function explain(path: string, ending: Ending): string {
  if (ending.broke !== undefined) return `The page ${path} ${ending.broke} and was stopped.`
  if (/heap out of memory|Allocation failed/i.test(ending.stderr))
    return `The page ${path} exceeded the memory of the renderer and was stopped.`
  if (ending.signal === 'SIGXCPU')
    return `The page ${path} exceeded the processor time of the renderer and was stopped.`
  const how = ending.signal === null ? `code ${ending.code}` : ending.signal
  return `The page ${path} broke the renderer (${how}). Simplify it: it may nest too deep.`
}
