import { Type, type Static } from 'typebox'
import { Slug, SlugParams, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'

export const domainLimits = {
  /** Domains of a project, verified or not. */
  ofProject: 10,
  /** Hours between two looks at the record of a verified domain; one that is missing is looked for every hour. */
  checkHours: 24,
  /** Days for which a verified domain whose record is missing is served on. */
  graceDays: 7,
} as const

const Name = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'A host name such as docs.example.com; letters of other scripts are taken as they are written there',
  examples: ['docs.example.com'],
})

export const DomainRecord = Type.Object(
  {
    purpose: Type.Union([Type.Literal('ownership'), Type.Literal('traffic')], {
      description: 'What it is for: it shows whose the domain is, or leads readers here',
    }),
    type: Type.Union([Type.Literal('TXT'), Type.Literal('CNAME'), Type.Literal('ALIAS')], {
      description: '`ALIAS` (some providers say ANAME, or flatten a CNAME): a domain itself can have no CNAME',
    }),
    name: Type.String({ description: 'In full', examples: ['_quire.docs.example.com'] }),
    host: Type.String({
      description: 'The name without the domain that was bought, as most providers ask for it; `@` for that itself',
      examples: ['_quire.docs'],
    }),
    value: Type.String(),
    note: Type.String({ description: 'What people should know of it' }),
  },
  { description: 'What to enter at the provider of the DNS' },
)
export type DomainRecord = Static<typeof DomainRecord>

export const Domain = Type.Object({
  domain: Type.String({ description: 'Lower case; other scripts as Punycode (`xn--…`)' }),
  url: Type.String({ description: 'The site there' }),
  verified: Type.Boolean({ description: 'Whether the live site is served there' }),
  records: Type.Array(DomainRecord),
  primary: Type.Boolean({ description: 'Whether readers of the other addresses are led here' }),
  addedAt: Timestamp,
  verifiedAt: Type.Optional(Timestamp),
  checkedAt: Type.Optional({ ...Timestamp, description: 'When its record was last looked for' }),
  missingSince: Type.Optional({
    ...Timestamp,
    description: 'Since when the record of a verified domain has not been found',
  }),
  endsAt: Type.Optional({
    ...Timestamp,
    description: 'When it stops to be verified, unless its record is found before',
  }),
  problem: Type.Optional(Type.String({ description: 'What is wrong, and what to do, for people' })),
})
export type Domain = Static<typeof Domain>

const DomainParams = Type.Object({ slug: Slug, domain: Name })
const Domains = Type.Object({ items: Type.Array(Domain) })

export const domains = {
  create: endpoint({
    method: 'POST',
    path: '/api/projects/:slug/domains',
    summary: 'Add a domain of your own',
    description:
      'Nothing is served there yet: enter `records` at the provider of the DNS, and verify it. One that the project ' +
      `has is answered as it is. A project has at most ${domainLimits.ofProject}.`,
    access: 'admin',
    limit: 'domains',
    params: SlugParams,
    body: Type.Object({ domain: Name }),
    reply: Domain,
    status: 201,
    failures: ['invalid_domain'],
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/domains',
    summary: 'List the domains of a project',
    description: 'All of them, the newest first.',
    access: 'admin',
    params: SlugParams,
    reply: Domains,
    status: 200,
  }),
  setPrimary: endpoint({
    method: 'PUT',
    path: '/api/projects/:slug/domains/primary',
    summary: 'Choose the domain that readers are led to',
    description:
      'Whoever opens the site at another of its addresses, below the preview domain too, is redirected there, to the ' +
      'same page. `null`: each address shows the site. Only a verified domain is taken; while it is not verified any ' +
      'more, nobody is redirected. Canonical links, sitemap and `llms.txt` name it within moments, without a deploy of the plan. Answers with ' +
      'all domains, as a list does.',
    access: 'admin',
    limit: 'domains',
    params: SlugParams,
    body: Type.Object({ domain: Type.Union([Name, Type.Null()]) }),
    reply: Domains,
    status: 200,
    failures: ['invalid_domain'],
  }),
  verify: endpoint({
    method: 'POST',
    path: '/api/projects/:slug/domains/:domain/verify',
    summary: 'Look for the record that shows whose a domain is',
    description:
      'Answers with what was found: `verified`, or why not in `problem`. The first project of the service that shows ' +
      'the record has the domain for as long as its record is there (`domain_taken`). It is looked for again every ' +
      `${domainLimits.checkHours} hours; where it is missing for ${domainLimits.graceDays} days, the domain is not ` +
      'verified any more. Canonical links, sitemap and `llms.txt` name the primary domain, or else the first verified one, within moments.',
    access: 'admin',
    limit: 'domains',
    params: DomainParams,
    reply: Domain,
    status: 200,
    failures: ['domain_taken', 'invalid_domain'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/projects/:slug/domains',
    summary: 'Remove a domain',
    description: 'The site is not served there any more.',
    access: 'admin',
    limit: 'domains',
    params: SlugParams,
    query: Type.Object({ domain: Name }),
    status: 204,
  }),
  ask: endpoint({
    method: 'GET',
    path: '/api/domains/ask',
    summary: 'Is a site served on a domain',
    description:
      'For a proxy that asks before it gets a certificate, such as Caddy’s `on_demand_tls`: 200 for the verified ' +
      'domains of all projects, else 404.',
    access: 'public',
    uncounted: true,
    query: Type.Object({ domain: Name }),
    reply: Type.Object({ domain: Type.String() }),
    status: 200,
  }),
}
