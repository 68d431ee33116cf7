import { all, make } from './browser.ts'

/*
 * Starts the services of others that a live site reports to: those that docs.json names, with ids that the build has
 * checked. Nothing of them is loaded for whoever asks not to be tracked, before a consent that the site waits for, or in
 * a frame of the dashboard. The page’s policy allows their hosts and no others.
 */

type Values = Readonly<Record<string, string>>

const { doNotTrack, globalPrivacyControl } = navigator as { doNotTrack?: string; globalPrivacyControl?: boolean }
const isCounted = doNotTrack !== '1' && globalPrivacyControl !== true && top === self

const page = globalThis as unknown as Record<string, unknown>

function load(src: string, more: Readonly<Record<string, string>> = {}, then?: () => void): void {
  const script = make('script', { src, async: '', ...more })
  if (then !== undefined) script.addEventListener('load', then)
  all('head')[0]?.append(script)
}

/** The list that Google’s libraries read. An element of the page may have taken its name. */
function dataLayer(): unknown[] {
  if (!Array.isArray(page['dataLayer'])) page['dataLayer'] = []
  return page['dataLayer'] as unknown[]
}

/** Google’s library knows calls by being `arguments`. */
function tag(..._call: readonly unknown[]): void {
  // oxlint-disable-next-line prefer-rest-params -- see above
  dataLayer().push(arguments)
}

/** A function whose calls wait in its list until the library takes its place. */
function waiting(): unknown {
  const q: unknown[] = []
  return Object.assign((...call: readonly unknown[]) => void q.push(call), { q })
}

const services: Readonly<Record<string, (values: Values) => void>> = {
  amplitude: ({ apiKey = '' }) =>
    load('https://cdn.amplitude.com/libs/analytics-browser-2.11.1-min.js.gz', {}, () =>
      (page['amplitude'] as { init(key: string, options: unknown): void }).init(apiKey, {
        autocapture: { pageViews: true, sessions: true, elementInteractions: false },
      }),
    ),
  clarity: ({ projectId = '' }) => {
    page['clarity'] = waiting()
    load(`https://www.clarity.ms/tag/${projectId}`)
  },
  fathom: ({ siteId = '' }) =>
    load('https://cdn.usefathom.com/script.js', { 'data-site': siteId, 'data-honor-dnt': 'true' }),
  ga4: ({ measurementId = '' }) => {
    tag('js', new Date())
    tag('config', measurementId)
    load(`https://www.googletagmanager.com/gtag/js?id=${measurementId}`)
  },
  gtm: ({ tagId = '' }) => {
    dataLayer().push({ 'gtm.start': Date.now(), event: 'gtm.js' })
    load(`https://www.googletagmanager.com/gtm.js?id=${tagId}`)
  },
  hightouch: ({ writeKey = '', apiHost = 'us-east-1.hightouch-events.com' }) => {
    const waits = { invoked: true, _writeKey: writeKey, _loadOptions: { apiHost }, SNIPPET_VERSION: '0.0.1' }
    page['htevents'] = Object.assign([['page']], waits)
    load('https://cdn.hightouch-events.com/browser/release/v1-latest/events.min.js')
  },
  hotjar: ({ hjid = '', hjsv = '' }) => {
    page['hj'] = waiting()
    page['_hjSettings'] = { hjid: Number(hjid), hjsv: Number(hjsv) }
    load(`https://static.hotjar.com/c/hotjar-${hjid}.js?sv=${hjsv}`)
  },
  mixpanel: ({ projectToken = '', region = 'us' }) => {
    const hosts: Values = { us: 'api', eu: 'api-eu', in: 'api-in' }
    const options = { api_host: `https://${hosts[region] ?? 'api'}.mixpanel.com`, track_pageview: true }
    page['mixpanel'] = Object.assign([], { _i: [[projectToken, options, 'mixpanel']], __SV: 1.2, people: [] })
    load('https://cdn.mxpnl.com/libs/mixpanel-2-latest.min.js')
  },
  pirsch: ({ id = '' }) => load('https://api.pirsch.io/pa.js', { id: 'pianjs', 'data-code': id }),
  plausible: ({ domain = '', server = 'plausible.io' }) =>
    load(`https://${server}/js/script.js`, { 'data-domain': domain }),
  posthog: ({ apiKey = '', apiHost = 'https://us.i.posthog.com', sessionRecording }) => {
    const origin = apiHost.replace(/\/$/, '')
    const options = { api_host: origin, disable_session_recording: sessionRecording !== 'true', respect_dnt: true }
    page['posthog'] = Object.assign([], { _i: [[apiKey, options, 'posthog']], __SV: 1, people: [] })
    load(`${origin.replace(/^(https:\/\/(?:us|eu))(\.i\.posthog\.com)$/, '$1-assets$2')}/static/array.js`)
  },
  segment: ({ key = '' }) => {
    page['analytics'] = Object.assign([['page']], { invoked: true, _writeKey: key, SNIPPET_VERSION: '5.2.0' })
    load(`https://cdn.segment.com/analytics.js/v1/${key}/analytics.min.js`)
  },
}

function start(): void {
  const settings = all('script[data-integrations]')[0]?.getAttribute('data-integrations')
  if (settings === null || settings === undefined) return
  const { services: named, consent } = JSON.parse(settings) as {
    services: Readonly<Record<string, Values>>
    consent?: { readonly key: string; readonly value: string }
  }
  if (consent !== undefined && localStorage.getItem(consent.key) !== consent.value) return
  for (const [name, values] of Object.entries(named)) services[name]?.(values)
}

if (isCounted) start()
