const allowed = /^[a-z0-9_/-]*$/
const maxLength = 100

/**
 * The name of a branch that a person means: in lower case, with hyphens for spaces, without accents. The service makes
 * hyphens of spaces and refuses capitals.
 */
export function branchNameOf(typed: string): string {
  return typed
    .trim()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, '-')
}

/** Why there cannot be a branch of that name; undefined where the service may say more. */
export function branchNameTrouble(name: string, names: readonly string[]): string | undefined {
  if (!allowed.test(name)) return 'Letters, digits, hyphens, underscores and slashes are allowed.'
  if (name.length > maxLength) return `It has ${name.length} characters; ${maxLength} are allowed.`
  if (name === 'main' || name.startsWith('main/')) return 'main is what is live: choose another name.'
  if (/^[/-]|\/$|\/\//.test(name)) return 'Begin and end it with a letter or a digit; one slash between words.'
  if (names.includes(name)) return `There is a branch ${name} already.`
  // Git keeps branches as files: one cannot be the folder of others.
  const clash = names.find((other) => other.startsWith(`${name}/`) || name.startsWith(`${other}/`))
  return clash === undefined ? undefined : `It cannot stand beside ${clash}: one would be the folder of the other.`
}
