import { isObject, pointerTo, show, type JsonObject } from '../../lib/json-reader.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import { providers, refusedProviders, type Integrations } from '../integrations.ts'
import type { Problems } from './problems.ts'

/** Told of a setting of Mintlify’s that is read elsewhere. */
const others = new Set(['telemetry', 'cookies'])
const instead = 'analytics.enabled counts views and searches without scripts of others.'

/** `integrations` of docs.json, and `analytics` as it was called before: services on the allow-list, each with valid fields. */
export function integrationsOf(document: JsonObject | null, problems: Problems): Integrations | undefined {
  const services: Record<string, Record<string, string>> = {}
  for (const key of ['analytics', 'integrations']) {
    const setting = document?.[key]
    if (!isObject(setting)) continue
    for (const [service, value] of Object.entries(setting)) {
      if (others.has(service) || (key === 'analytics' && service === 'enabled')) continue
      const pointer = pointerTo(`/${key}`, service)
      const values = fieldsOf(service, isObject(value) ? value : {}, pointer, problems)
      if (values !== undefined) services[service] = values
    }
  }
  if (Object.keys(services).length === 0) return undefined
  const cookies = (document?.['integrations'] as JsonObject | undefined)?.['cookies']
  const { key, value } = isObject(cookies) ? cookies : {}
  const consent = typeof key === 'string' && typeof value === 'string' ? { consent: { key, value } } : {}
  return { services, ...consent }
}

/** Whether readers are to be counted by nobody. */
export function isTelemetryOff(document: JsonObject | null): boolean {
  const integrations = document?.['integrations']
  const telemetry = isObject(integrations) ? integrations['telemetry'] : undefined
  return isObject(telemetry) && telemetry['enabled'] === false
}

function fieldsOf(
  service: string,
  setting: JsonObject,
  pointer: string,
  problems: Problems,
): Record<string, string> | undefined {
  const ignore = (message: string): undefined => {
    problems.warning('setting-ignored', pointer, message)
    return undefined
  }
  const provider = Object.hasOwn(providers, service) ? providers[service] : undefined
  const path = pointer.slice(1).replaceAll('/', '.')
  if (provider === undefined) {
    if (Object.hasOwn(refusedProviders, service))
      return ignore(`${path} does nothing here; it would ${refusedProviders[service]}. ${instead}`)
    const meant = nearestName(service, Object.keys(providers))
    return ignore(
      `There is no integration ${show(service)}; it is ignored.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    )
  }
  const values: Record<string, string> = {}
  for (const [field, { form, optional }] of Object.entries(provider.fields)) {
    const value = setting[field]
    if (value === undefined && optional === true) continue
    if (value === undefined) return ignore(`${path} lacks ${field}, so ${provider.name} is left out.`)
    const text = typeof value === 'object' ? '' : String(value)
    if (!form.test(text))
      return ignore(`${path}.${field} is not what ${provider.name} gives for it (${show(value)}), so it is left out.`)
    values[field] = text
  }
  if (provider.limits !== undefined)
    problems.warning('setting-limited', pointer, `${provider.name}: ${provider.limits}`)
  return values
}
