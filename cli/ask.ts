import { createInterface } from 'node:readline/promises'

/** A question on standard error, so that standard output stays the command's result. */
export async function ask(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await reader.question(question)).trim()
  } finally {
    reader.close()
  }
}
