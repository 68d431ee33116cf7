import { coloured } from './colours.ts'
import { h } from './elements.ts'
import { parsed } from './controls.ts'
import { words } from './words.ts'

/** Bytes that are read of an answer, and UTF-16 units of it that are shown. */
const mostRead = 20 * 1024 * 1024
const mostShown = 200_000
/** Milliseconds between two looks at what comes in pieces. */
const pause = 250

const isText = (type: string): boolean =>
  /^text\/|json|xml|javascript|yaml|csv|x-www-form-urlencoded/i.test(type) || type === ''
/** The policy of pages lets images be of data; none of them can run a script. */
const isImage = (type: string): boolean => /^image\//i.test(type)

/** Shows an answer as it comes: what it says, how long it took, its headers and its body. */
export async function showAnswer(place: HTMLElement, response: Response, started: number): Promise<void> {
  const { status, statusText } = response
  const took = h('span', {}, `${Math.round(performance.now() - started)} ms`)
  const size = h('span', {})
  const kind = status < 300 ? 'good' : status < 400 ? 'other' : 'bad'
  const head = h(
    'p',
    { class: 'q-play-status', 'data-kind': kind },
    h('strong', {}, `${status} ${statusText}`.trim()),
    ' ',
    took,
    ' ',
    size,
  )
  const body = h('div', {})
  place.replaceChildren(head, body, headersElement(response.headers))
  const type = response.headers.get('content-type') ?? ''
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  let isCut = false
  const draw = (): void => {
    size.textContent = sizeText(bytes)
    body.replaceChildren(...bodyElements(new Blob(chunks, { type }), chunks, type, isCut))
  }
  let isBroken = false
  if (response.body !== null) {
    const reader = response.body.getReader()
    const isStream = /event-stream|ndjson/i.test(type)
    let drawn = started
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        chunks.push(part.value)
        bytes += part.value.length
        // All of it is drawn anew: what comes in small pieces is not drawn with each.
        if (isStream && performance.now() - drawn > pause) {
          draw()
          drawn = performance.now()
        }
        if (bytes <= mostRead) continue
        isCut = true
        await reader.cancel()
        break
      }
    } catch (error) {
      // The server let this page read: it is not CORS that broke off what came.
      if (error instanceof DOMException && error.name === 'AbortError') throw error
      isBroken = true
    }
  }
  took.textContent = `${Math.round(performance.now() - started)} ms`
  draw()
  if (isBroken) body.prepend(h('p', { class: 'q-play-trouble', role: 'alert', 'data-trouble': 'broken' }, words.broken))
}

function bodyElements(blob: Blob, chunks: readonly Uint8Array[], type: string, isCut: boolean): readonly Node[] {
  if (blob.size === 0) return [h('p', { class: 'q-play-note' }, words.empty)]
  if (isImage(type) && !isCut && blob.size < 5_000_000) {
    const image = h('img', { alt: '' })
    const reader = new FileReader()
    reader.addEventListener('load', () =>
      image.setAttribute('src', typeof reader.result === 'string' ? reader.result : ''),
    )
    reader.readAsDataURL(blob)
    return [image, download(blob)]
  }
  if (!isText(type)) {
    const what = `${type === '' ? 'application/octet-stream' : type}, ${sizeText(blob.size)}`
    return [h('p', { class: 'q-play-note' }, what), download(blob)]
  }
  const decoder = new TextDecoder()
  const text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('')
  const value = text.length < mostShown * 5 ? parsed(text) : undefined
  const isJson = typeof value === 'object'
  const pretty = isJson ? JSON.stringify(value, null, 2) : text
  const shown = pretty.slice(0, mostShown)
  const code = h('code', {})
  code.append(isJson ? coloured(shown, 'json') : shown)
  const copy = h('button', { type: 'button', class: 'q-copy', 'data-copy': '', 'aria-label': words.copy })
  const figure = h('figure', { class: 'q-code' }, h('pre', { tabindex: '0' }, code), copy)
  const note = isCut || shown.length < pretty.length ? [h('p', { class: 'q-play-note' }, words.cut)] : []
  return [figure, ...note, download(blob)]
}

function download(blob: Blob): HTMLElement {
  const button = h('button', { type: 'button', class: 'q-play-add' }, words.download)
  button.addEventListener('click', () => {
    const href = URL.createObjectURL(blob)
    const [ending = 'bin'] = /[a-z0-9]+$/.exec(blob.type.split(';', 1)[0]?.replace('text/plain', 'txt') ?? '') ?? []
    const link = h('a', { href, download: `response.${ending}` })
    link.click()
    setTimeout(() => URL.revokeObjectURL(href), 60_000)
  })
  return button
}

function headersElement(headers: Headers): HTMLElement {
  const rows = [...headers].map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))
  return h(
    'details',
    { class: 'q-play-headers' },
    h('summary', {}, `${words.headers} (${rows.length})`),
    h('dl', {}, ...rows),
  )
}

function sizeText(bytes: number): string {
  return bytes < 1000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`
}
