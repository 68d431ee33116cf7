import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Lasting } from '../lasting.ts'
import { replaceFile } from './replace-file.ts'

interface Known {
  /** The service that was signed in to last; undefined when that was signed out of. */
  readonly last: string | undefined
  /** Those that are signed in to. */
  readonly services: readonly string[]
}

/**
 * Which services somebody is signed in to, by their addresses alone: a keychain cannot be asked for all that it holds.
 * The last one is what commands mean where nothing else names a service.
 */
export class KnownServices {
  readonly #path: string

  /** @param directory Of the settings; made when something is kept. */
  constructor(directory: string) {
    this.#path = join(directory, 'services.json')
  }

  /** @throws Failure unavailable where the file is there and cannot be read */
  async read(): Promise<Known> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '{}'
      throw new Lasting(`${this.#path} cannot be read (${error.code ?? error.message}).`, {
        hint: 'Make it readable, or name the service: --url or QUIRE_URL.',
        cause: error,
      })
    })
    const { last, services } = parsed(text)
    return {
      last: typeof last === 'string' ? last : undefined,
      services: Array.isArray(services) ? services.filter((service) => typeof service === 'string') : [],
    }
  }

  /** Somebody has signed in. */
  async add(service: string): Promise<void> {
    const { services } = await this.read()
    await replaceFile(this.#path, { last: service, services: [service, ...without(services, service)] })
  }

  /** Somebody has signed out: no other service takes its place by itself. */
  async remove(service: string): Promise<void> {
    const { last, services } = await this.read()
    if (last !== service && !services.includes(service)) return
    const left = without(services, service)
    if (left.length === 0) await rm(this.#path, { force: true })
    else await replaceFile(this.#path, { ...(last === service ? {} : { last }), services: left })
  }
}

function without(services: readonly string[], service: string): string[] {
  return services.filter((one) => one !== service)
}

/** What is damaged is as good as nothing: it is written anew at the next sign-in. */
function parsed(text: string): { readonly last?: unknown; readonly services?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
