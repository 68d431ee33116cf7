import { existsSync } from 'node:fs'
import type { Administration } from '../src/client/administration.ts'
import type { Client } from '../src/client/client.ts'
import { Failure, failureCodes, type FailureCode } from '../src/contract/failure.ts'
import { Lasting } from './lasting.ts'

/**
 * Loads a program that is built beside this one. The build must not put it into ours: it is large, and seldom wanted.
 * Throws Failure `unavailable` where it is missing.
 */
export async function loadBuilt<T>(name: string): Promise<T> {
  // This code is in the entry or in a folder of chunks beside it.
  for (const place of [`./${name}.js`, `../${name}.js`]) {
    const url = new URL(place, import.meta.url)
    if (existsSync(url)) return (await import(url.href)) as T
  }
  throw new Lasting(`${name}.js is not beside this program.`, {
    hint: 'Run this command where the service is installed, after npm run build.',
  })
}

/** The Failure that a program beside threw: it has a class of its own. Anything else comes back as it is. */
export function failureOfBuilt(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'Failure' || !('code' in error)) return error
  const { code, message, hint, errors, extra, lasts } = error as unknown as Failure
  if (!Object.hasOwn(failureCodes, code)) return error
  return new Failure(code satisfies FailureCode, message, {
    ...(hint === undefined ? {} : { hint }),
    errors,
    extra,
    lasts,
    cause: error,
  })
}

export interface AdminOptions {
  /** Data directory; without it that of the settings. */
  readonly data?: string
}

/** Runs an operator's command; Failures of the loaded program become ours. */
export async function withAdministration<T>(
  { data }: AdminOptions,
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  const admin = await loadBuilt<{ readonly administer: (directory?: string) => Administration }>('admin')
  try {
    return await work(admin.administer(data))
  } catch (error) {
    throw failureOfBuilt(error)
  }
}

/** Asks the operator's endpoints of the service, or of this process where none runs. */
export function callOperator<T>(options: AdminOptions, work: (client: Client) => Promise<T>): Promise<T> {
  return withAdministration(options, (administration) => administration.call(work))
}
