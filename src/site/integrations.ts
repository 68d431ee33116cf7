/*
 * Services of others that a live site may report its readers to: an allow-list. Each says what docs.json must give it, in
 * which form, and which hosts its pages may then ask. What needs scripts or styles in the page, or `eval`, is not here.
 */

/** Hosts that pages with a service may load scripts from, and send to. Pictures may come from any https host anyway. */
export interface Reach {
  readonly scripts: readonly string[]
  readonly connects: readonly string[]
}

interface Provider {
  readonly name: string
  /** Fields of docs.json, by name. */
  readonly fields: Readonly<Record<string, { readonly form: RegExp; readonly optional?: true }>>
  readonly reach: (values: Readonly<Record<string, string>>) => Reach
  /** What of it does not work here, a sentence. */
  readonly limits?: string
}

const host = String.raw`(?=.{4,253}(?:/|$))[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)+`
const hostForm = new RegExp(`^${host}$`)
const google: Reach = {
  scripts: ['https://www.googletagmanager.com'],
  connects: [
    'https://www.googletagmanager.com',
    'https://*.google-analytics.com',
    'https://*.analytics.google.com',
    'https://analytics.google.com',
  ],
}

/** Where a project of PostHog is asked and has its scripts. */
const posthogHosts = (apiHost = 'https://us.i.posthog.com'): readonly string[] => {
  const origin = apiHost.replace(/\/$/, '')
  const region = /^https:\/\/(us|eu)\.i\.posthog\.com$/.exec(origin)?.[1]
  return region === undefined ? [origin] : [origin, `https://${region}-assets.i.posthog.com`]
}

const mixpanelHosts: Readonly<Record<string, string>> = {
  us: 'https://api.mixpanel.com',
  eu: 'https://api-eu.mixpanel.com',
  in: 'https://api-in.mixpanel.com',
}

export const providers: Readonly<Record<string, Provider>> = {
  amplitude: {
    name: 'Amplitude',
    fields: { apiKey: { form: /^[A-Za-z\d]{16,64}$/ } },
    reach: () => ({ scripts: ['https://cdn.amplitude.com'], connects: ['https://api2.amplitude.com'] }),
  },
  clarity: {
    name: 'Microsoft Clarity',
    fields: { projectId: { form: /^[a-z\d]{4,20}$/ } },
    reach: () => ({
      scripts: ['https://www.clarity.ms', 'https://scripts.clarity.ms'],
      connects: ['https://*.clarity.ms'],
    }),
  },
  fathom: {
    name: 'Fathom',
    fields: { siteId: { form: /^[A-Z\d]{4,16}$/ } },
    reach: () => ({ scripts: ['https://cdn.usefathom.com'], connects: ['https://cdn.usefathom.com'] }),
  },
  ga4: {
    name: 'Google Analytics',
    fields: { measurementId: { form: /^G-[A-Z\d]{4,20}$/ } },
    reach: () => google,
  },
  gtm: {
    name: 'Google Tag Manager',
    fields: { tagId: { form: /^GTM-[A-Z\d]{4,12}$/ } },
    reach: () => google,
    limits: 'Tags of Google run; tags with HTML of their own and those that load scripts of other hosts do not.',
  },
  hightouch: {
    name: 'Hightouch',
    fields: { writeKey: { form: /^[A-Za-z\d]{16,80}$/ }, apiHost: { form: hostForm, optional: true } },
    reach: ({ apiHost = 'us-east-1.hightouch-events.com' }) => ({
      scripts: ['https://cdn.hightouch-events.com'],
      connects: [`https://${apiHost}`],
    }),
    limits: 'Destinations that Hightouch’s servers send to work; those that run in the browser do not.',
  },
  hotjar: {
    name: 'Hotjar',
    fields: { hjid: { form: /^\d{3,12}$/ }, hjsv: { form: /^\d{1,3}$/ } },
    reach: () => ({
      scripts: ['https://static.hotjar.com', 'https://script.hotjar.com'],
      connects: ['https://*.hotjar.com', 'https://*.hotjar.io', 'wss://*.hotjar.com'],
    }),
    limits: 'Pages are recorded; its surveys and feedback widgets are not shown.',
  },
  mixpanel: {
    name: 'Mixpanel',
    fields: { projectToken: { form: /^[A-Za-z\d]{16,64}$/ }, region: { form: /^(?:us|eu|in)$/, optional: true } },
    reach: ({ region = 'us' }) => ({
      scripts: ['https://cdn.mxpnl.com'],
      connects: [mixpanelHosts[region] ?? 'https://api.mixpanel.com'],
    }),
  },
  pirsch: {
    name: 'Pirsch',
    fields: { id: { form: /^[A-Za-z\d]{16,64}$/ } },
    reach: () => ({ scripts: ['https://api.pirsch.io'], connects: ['https://api.pirsch.io'] }),
  },
  plausible: {
    name: 'Plausible',
    fields: { domain: { form: new RegExp(`^${host}(?:,${host})*$`) }, server: { form: hostForm, optional: true } },
    reach: ({ server = 'plausible.io' }) => ({ scripts: [`https://${server}`], connects: [`https://${server}`] }),
  },
  posthog: {
    name: 'PostHog',
    fields: {
      apiKey: { form: /^phc_[A-Za-z\d]{10,80}$/ },
      apiHost: { form: new RegExp(`^https://${host}/?$`), optional: true },
      sessionRecording: { form: /^(?:true|false)$/, optional: true },
    },
    reach: ({ apiHost }) => ({ scripts: posthogHosts(apiHost), connects: posthogHosts(apiHost) }),
  },
  segment: {
    name: 'Segment',
    fields: { key: { form: /^[A-Za-z\d]{8,64}$/ } },
    reach: () => ({
      scripts: ['https://cdn.segment.com'],
      connects: ['https://cdn.segment.com', 'https://api.segment.io'],
    }),
    limits: 'Destinations that Segment’s servers send to work; those that run in the browser do not.',
  },
}

/** Why others are not on the list, by their name in docs.json: completes “… does nothing here; it would …”. */
export const refusedProviders: Readonly<Record<string, string>> = {
  adobe: 'load a container of Adobe, whose rules are scripts in the page',
  clearbit: 'name the companies of readers by scripts of many hosts',
  frontchat: 'show a chat, which needs styles in the page',
  heap: 'report what readers do by scripts that need eval',
  intercom: 'show a chat, which needs styles in the page',
  koala: 'name the companies of readers',
  logrocket: 'record what readers do by scripts that are made in the page',
  osano: 'ask readers for consent by a script that changes others',
  transcend: 'ask readers for consent by a script that changes others',
}

/** Services of a site, with their fields; and what must be in a reader’s local storage before they run. */
export interface Integrations {
  readonly services: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly consent?: { readonly key: string; readonly value: string }
}

/** All hosts that pages with these services may ask. */
export function reachOf({ services }: Integrations): Reach {
  const reaches = Object.entries(services).flatMap(([service, values]) => {
    const provider = Object.hasOwn(providers, service) ? providers[service] : undefined
    return provider === undefined ? [] : [provider.reach(values)]
  })
  return {
    scripts: [...new Set(reaches.flatMap(({ scripts }) => scripts))],
    connects: [...new Set(reaches.flatMap(({ connects }) => connects))],
  }
}
