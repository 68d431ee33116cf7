import { Failure } from '#contract/failure.ts'
import type { App } from './app.ts'

/** Most details of a failure that a dialog lists. */
const mostDetails = 5

/** What, where and what next, of a failure; of a bug only that it is one. What was broken off is no news. */
export function tellFailure(error: unknown, app: Pick<App, 'dialogs' | 'log' | 'notify'>): void {
  if (!(error instanceof Failure)) {
    if (error instanceof Error && error.name === 'AbortError') return
    app.log(error instanceof Error ? (error.stack ?? error.message) : String(error))
    app.notify('Something went wrong in Quire itself; the log says what. Your text is safe.', 'error')
    return
  }
  const { message, hint, errors } = error
  const next = hint === undefined ? [] : [hint]
  if (errors.length === 0) {
    app.notify([message, ...next].join(' '), 'error')
    return
  }
  const details = errors.slice(0, mostDetails).map(({ path, line, message: what }) => {
    // The text of an entry is no file.
    const place = path === undefined ? `Line ${line}` : `${path}:${line}`
    const where = line === undefined ? path : place
    return where === undefined ? what : `${where}  ${what}`
  })
  const more = errors.length > mostDetails ? [`… and ${errors.length - mostDetails} more.`] : []
  void app.dialogs.tell({ title: 'That did not work', body: [message, ...details, ...more, ...next] })
}
