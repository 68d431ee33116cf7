import { Failure } from '../../contract/failure.ts'
import { sealText, soundnessOfText } from '../checksum.ts'
import type { HeldReservation, Json } from '../store.ts'

/** Settled use by meter and period. */
export type Meters = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Reservations that outlive their process, by id. */
export type Held = Readonly<Record<string, Omit<HeldReservation, 'id' | 'document'>>>

/** What a file holds. `document` is absent in memory where there is none; such an envelope has no file. */
export interface Envelope {
  readonly schema: number
  /** Grows with every write of the document. */
  readonly revision: number
  readonly document?: Json
  readonly meters: Meters
  readonly held?: Held
}

/**
 * Steps of the file format: the step at index n makes a file of schema n + 2 out of one of schema n + 1. Append only;
 * a step gets the document's name, for changes that concern one kind of document.
 */
export type Migration = (file: Record<string, unknown>, document: string) => Record<string, unknown>

const migrations: readonly Migration[] = [(file) => ({ ...file, revision: 0 }), (file) => file]
/** From this schema on a project may be private: a service of before would show it to everybody. */
const guardedSince = 3
/** From this schema on every file has a checksum. */
const sealedSince = 2

/** A file cannot be what was written. */
export class DamagedDocument extends Failure {
  constructor(path: string, reason: string, cause?: unknown) {
    super('unavailable', `${path} is damaged: ${reason}.`, { hint: 'Restore it from a backup.', cause })
  }
}

/** Schema of a file written now. */
export function currentSchema(steps: readonly Migration[] = migrations): number {
  return steps.length + 1
}

/**
 * Reads a file's text and brings it to the current schema.
 *
 * Throws DamagedDocument, and Failure `unavailable` for a file that a newer version wrote: to go on would lose data.
 */
export function decode(
  text: string,
  document: string,
  path: string,
  steps: readonly Migration[] = migrations,
): Envelope {
  const soundness = soundnessOfText(text)
  if (soundness === 'damaged') throw damaged(path, 'its checksum does not agree with its bytes')
  let file = parse(text, path)
  const schema = Number(file['schema'])
  if (!Number.isSafeInteger(schema) || schema < 1) throw damaged(path, 'it has no schema number')
  if (schema > currentSchema(steps)) {
    throw new Failure(
      'unavailable',
      `${path} has schema ${schema}; this version of Quire reads up to ${currentSchema(steps)}.`,
      {
        hint: 'A newer version of Quire wrote it. Start that version, or restore a backup from before the upgrade.',
        lasts: true,
      },
    )
  }
  if (schema >= sealedSince && soundness === 'unsealed') throw damaged(path, 'it has no checksum')
  for (const step of steps.slice(schema - 1)) file = step(file, document)
  if (file['document'] === undefined || !isRecord(file['meters'])) throw damaged(path, 'a part of it is missing')
  const { document: content, meters, held, revision } = file
  return {
    schema: currentSchema(steps),
    revision: Number(revision ?? 0),
    document: content as Json,
    meters: meters as Meters,
    ...(isRecord(held) ? { held: held as Held } : {}),
  }
}

/** What a service of before reads rightly says so: there is a way back to one until a project is private. */
export function encode(envelope: Envelope): string {
  const { schema, document } = envelope
  const isGuarded = isRecord(document) && document['visibility'] !== undefined
  return sealText(JSON.stringify({ ...envelope, schema: isGuarded ? schema : guardedSince - 1 }) + '\n')
}

function parse(text: string, path: string): Record<string, unknown> {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch (cause) {
    throw damaged(path, 'it is not JSON', cause)
  }
  if (!isRecord(file)) throw damaged(path, 'it is not a JSON object')
  return file
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function damaged(path: string, reason: string, cause?: unknown): DamagedDocument {
  return new DamagedDocument(path, reason, cause)
}
