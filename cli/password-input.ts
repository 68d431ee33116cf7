import { Failure } from '../src/contract/failure.ts'

/** More than this on standard input is no password. */
const maxPassword = 4096

/** One line of standard input, when that is asked for. @throws Failure invalid_request where there is none */
export async function passwordOf({ passwordStdin }: { readonly passwordStdin?: boolean }): Promise<string | undefined> {
  if (passwordStdin !== true) return undefined
  let text = ''
  process.stdin.setEncoding('utf8')
  for await (const chunk of process.stdin as AsyncIterable<string>) {
    text += chunk
    if (text.length > maxPassword) break
  }
  const password = text.replace(/\r?\n$/, '')
  if (password !== '' && password.length <= maxPassword && !/[\r\n]/.test(password)) return password
  throw new Failure('invalid_request', 'Standard input does not hold a password.', {
    hint: 'Send one line, or leave --password-stdin out for a random password.',
  })
}
