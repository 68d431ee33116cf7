import type { Principal } from '../../access/principal.ts'
import type { Author } from '../../content/repository.ts'

/** Who stands as the author of a commit. Characters that Git’s format gives a meaning to are left out. */
export function authorOf(caller: NonNullable<Principal>): Author {
  if (caller.kind === 'key')
    return { name: plain(caller.key.name) || 'API key', email: `${caller.key.id.toLowerCase()}@keys.quire.invalid` }
  const { email } = caller.account
  const local = email.slice(0, email.lastIndexOf('@'))
  return { name: plain(local) || 'Quire', email }
}

const plain = (text: string): string => text.replace(/[\p{Cc}\p{Surrogate}\u2028\u2029<>]/gu, ' ').trim()
