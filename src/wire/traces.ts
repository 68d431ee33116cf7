import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { dist } from '../lib/paths.ts'
import type * as program from '../traces.ts'
import type { Closers } from './closers.ts'

/** Has spans recorded and sent: a program of its own, so that who sends none neither loads nor compiles it. */
export async function openTraces(settings: program.TraceSettings, closers: Closers): Promise<void> {
  const url = pathToFileURL(join(dist, 'traces.js')).href
  const traces = (await import(url)) as typeof program
  const close = traces.openTraces(settings)
  // A collector that does not answer keeps no service from its end.
  closers.add(() => close().catch(() => undefined))
}
