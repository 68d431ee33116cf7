import { describe, expect, it } from 'vitest'
import { integrationsOf, isTelemetryOff } from '#site/config/integrations.ts'
import { Problems } from '#site/config/problems.ts'
import type { JsonObject } from '#lib/json-reader.ts'

function read(integrations: JsonObject) {
  const problems = new Problems()
  const found = integrationsOf({ integrations }, problems)
  return { found, told: problems.warnings.map(({ pointer, message }) => `${pointer} ${message}`) }
}

describe('integrations', () => {
  it('are services on the list, each with the fields that it needs', () => {
    expect(read({ ga4: { measurementId: 'G-ABC123' }, hotjar: { hjid: 123456, hjsv: 6 } }).found).toEqual({
      services: { ga4: { measurementId: 'G-ABC123' }, hotjar: { hjid: '123456', hjsv: '6' } },
    })
  })

  it.each([
    ['ga4', { measurementId: 'G-1"><script>' }],
    ['ga4', { measurementId: { a: 1 } }],
    ['plausible', { domain: 'docs.example.com', server: 'x.example; script-src *' }],
    ['plausible', { domain: 'docs.example.com', server: 'https://x.example' }],
    ['posthog', { apiKey: 'phc_aaaaaaaaaaaa', apiHost: 'https://x.example/path;*' }],
    ['posthog', { apiKey: 'phc_aaaaaaaaaaaa', apiHost: 'http://x.example' }],
    ['posthog', { apiKey: 'phx_secret' }],
    ['mixpanel', { projectToken: 'a'.repeat(32), region: 'mars' }],
    ['segment', {}],
  ])('with a field that is none of theirs are left out with a warning: %s %j', (service, fields) => {
    const { found, told } = read({ [service]: fields })
    expect(found).toBeUndefined()
    expect(told).toHaveLength(1)
    expect(told[0]).toContain(`/integrations/${service} `)
  })

  it('that are not on the list say what they would do', () => {
    const { found, told } = read({ intercom: { appId: 'abcdef' }, frontchat: 'abcdef', plausable: {} })
    expect(found).toBeUndefined()
    expect(told[0]).toContain('it would show a chat')
    expect(told[1]).toContain('integrations.frontchat')
    expect(told[2]).toContain('Did you mean plausible?')
  })

  it('that work in part say so', () => {
    expect(read({ gtm: { tagId: 'GTM-ABC123' } }).told[0]).toContain('tags with HTML of their own')
  })

  it('wait for a consent that the site keeps', () => {
    const { found } = read({ ga4: { measurementId: 'G-ABC123' }, cookies: { key: 'c', value: 'yes' } })
    expect(found?.consent).toEqual({ key: 'c', value: 'yes' })
  })

  it('stood under another name before', () => {
    const found = integrationsOf({ analytics: { enabled: true, ga4: { measurementId: 'G-ABC123' } } }, new Problems())
    expect(found?.services).toEqual({ ga4: { measurementId: 'G-ABC123' } })
  })

  it('are all off with the telemetry', () => {
    expect(isTelemetryOff({ integrations: { telemetry: { enabled: false } } })).toBe(true)
    expect(isTelemetryOff({ integrations: { telemetry: { enabled: true } } })).toBe(false)
    expect(isTelemetryOff(null)).toBe(false)
  })
})
