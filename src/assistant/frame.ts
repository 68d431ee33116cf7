import { randomBytes } from 'node:crypto'
import { cut, lineOf } from './words.ts'

/**
 * Puts what others wrote between lines that only this turn knows, so that it cannot end itself and speak on as somebody
 * else. That is a help to the model and no protection: what a model can do is decided by what its tools can do.
 */
export class Frame {
  readonly boundary = randomBytes(12).toString('base64url')

  /** @param label what it is, in a line. */
  around(label: string, text: string, most: number): string {
    return `<data ${this.boundary} ${JSON.stringify(lineOf(label, 300))}>\n${cut(text, most)}\n</data ${this.boundary}>`
  }
}
