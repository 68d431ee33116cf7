import { all, make, on, root } from './browser.ts'

/**
 * On previews only: shows the newest save by itself. The service says which release is shown; when that is not the one
 * that this page was made of, the page is loaded again. A page that nobody looks at holds no connection.
 */
const events = '/_quire/preview-events'
const reloaded = 'q-preview-reloaded'
const noticeStyle =
  'position:fixed;inset:auto 1rem 1rem;z-index:99;margin:0 auto;max-width:48rem;padding:.75rem 1rem;border-radius:.5rem;' +
  'background:#b42318;color:#fff;font:14px/1.5 system-ui,sans-serif;white-space:pre-wrap;overflow-wrap:anywhere'

interface BuildError {
  readonly path?: string
  readonly line?: number
  readonly column?: number
  readonly message: string
}

const shown = all('script[data-release]')[0]?.getAttribute('data-release')
let stream: EventSource | undefined
let notice: HTMLElement | undefined

function follow(release: string): void {
  if (release === shown || release === sessionStorage.getItem(reloaded)) return
  // Once for each release: a cache between here and the service must not make it a circle.
  sessionStorage.setItem(reloaded, release)
  location.reload()
}

function tell(errors: readonly BuildError[]): void {
  notice ??= make('div', { role: 'status', style: noticeStyle })
  const lines = errors.map(({ path, line, column, message }) => {
    const place = [path, line, column].filter((part) => part !== undefined).join(':')
    return place === '' ? message : `${place}: ${message}`
  })
  notice.textContent = `The newest save does not build; this is the one before.\n${lines.join('\n')}`
  root.append(notice)
}

function connect(): void {
  if (stream !== undefined || Reflect.get(Document.prototype, 'hidden', document)) return
  stream = new EventSource(events)
  stream.addEventListener('release', ({ data }: MessageEvent<string>) => follow(JSON.parse(data) as string))
  stream.addEventListener('failed', ({ data }: MessageEvent<string>) => tell(JSON.parse(data) as BuildError[]))
  stream.addEventListener('gone', disconnect)
}

function disconnect(): void {
  stream?.close()
  stream = undefined
}

if (shown !== null && shown !== undefined) {
  connect()
  on('visibilitychange', () => {
    disconnect()
    connect()
  })
  addEventListener('pagehide', disconnect)
  addEventListener('pageshow', connect)
}
