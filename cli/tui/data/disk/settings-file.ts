import { join } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Environment } from '#cli/environment.ts'
import type { Settings, SettingsValues } from '../../app/settings.ts'
import { nodeDisk, type Disk } from './disk.ts'

/** Each is taken where it fits: a file of another version, or one that somebody edited, is no reason to fail. */
const members = {
  mouse: Type.Boolean(),
  theme: Type.Union([Type.Literal('auto'), Type.Literal('light'), Type.Literal('dark')]),
  toured: Type.Boolean(),
} satisfies Record<keyof SettingsValues, unknown>

const defaults: SettingsValues = { mouse: false, theme: 'auto', toured: false }

export interface SettingsOptions {
  readonly environment: Pick<Environment, 'configDirectory'>
  readonly log?: (message: string) => void
  readonly disk?: Disk
  /** Makes what was changed act. */
  readonly onChange?: (values: SettingsValues) => void
}

/** Reads `ui.json`, and keeps in it what is changed. */
export async function openSettings(options: SettingsOptions): Promise<Settings & { settled(): Promise<void> }> {
  const { environment, log = () => undefined, disk = nodeDisk, onChange } = options
  const file = join(environment.configDirectory, 'ui.json')
  const found = await readObject(file, disk, log)
  let values: SettingsValues = { ...defaults }
  for (const [name, schema] of Object.entries(members))
    if (Value.Check(schema, found[name])) values = { ...values, [name]: found[name] }
  let writing: Promise<void> = Promise.resolve()
  return {
    get values() {
      return values
    },
    change(changed) {
      values = { ...values, ...changed }
      onChange?.(values)
      // Members of later versions stay.
      const text = `${JSON.stringify({ ...found, ...values }, null, 2)}\n`
      writing = writing
        .then(() => disk.replace(file, [Buffer.from(text)], { durable: true }))
        .catch((error: unknown) => log(`${file} could not be written: ${String(error)}`))
    },
    settled: () => writing,
  }
}

async function readObject(file: string, disk: Disk, log: (message: string) => void): Promise<Record<string, unknown>> {
  try {
    const bytes = await disk.read(file)
    if (bytes === undefined) return {}
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch (error) {
    log(`${file} could not be read: ${String(error)}`)
    return {}
  }
  log(`${file} is not an object.`)
  return {}
}
