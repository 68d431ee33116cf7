// Expressions for text in Latin-1, which nearly all lines of code are. V8 looks a property such as `\p{Alpha}` up in all of
// Unicode each time it compiles an expression, ten times the work of the rest; here it becomes the characters of
// Latin-1 that have it, and the expression matches such text exactly as before.

const latin1 = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))

/** Any escape, so that what stands behind `\\` is not taken for one; or a sign that combines sets. */
const escapePattern = /\\(?:[pP]\{[^}]*\}|[\s\S])|&&|--/gu
const propertyPattern = /^\\[pP]\{/
/** Properties of strings match more than a character. */
const stringsPattern = /\\[pP]\{(?:Basic_Emoji|RGI|Emoji_Keycap)/

/** The class of the characters in Latin-1 that a property matches, by flags and property. */
const classes = new Map()

function classOf(property, flags) {
  const key = `${flags} ${property}`
  let found = classes.get(key)
  if (found === undefined) {
    const regexp = new RegExp(`^${property}$`, flags)
    found = written(latin1.filter((character) => regexp.test(character)))
    classes.set(key, found)
  }
  return found
}

function written(characters) {
  const ranges = []
  for (const character of characters) {
    const code = character.charCodeAt(0)
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === code - 1) last[1] = code
    else ranges.push([code, code])
  }
  return `[${ranges.map(([first, last]) => (first === last ? sign(first) : `${sign(first)}-${sign(last)}`)).join('')}]`
}

function sign(code) {
  const character = String.fromCharCode(code)
  return /[A-Za-z0-9]/.test(character) ? character : `\\x${code.toString(16).padStart(2, '0')}`
}

/**
 * @param source of an expression with the flag `v`
 * @param flags its flags
 * @returns the source for text in Latin-1; undefined where that is the same, or not known to be exact
 */
export function narrowed(source, flags) {
  if (stringsPattern.test(source)) return undefined
  const own = flags.replace(/[dgy]/g, '')
  let isSetOperation = false
  const narrow = source.replace(escapePattern, (escape) => {
    if (escape === '&&' || escape === '--') isSetOperation = true
    return propertyPattern.test(escape) ? classOf(escape, own) : escape
  })
  // Sets are combined after their cases are folded, with partners beyond Latin-1.
  return narrow === source || (isSetOperation && own.includes('i')) ? undefined : narrow
}

/** Any escape; the beginning or end of a class, which nest; the beginning or end of a group, with what says its kind. */
const structurePattern = /\\[\s\S]|[[\]]|\((?:\?(?:[:=!]|<[=!]?|[\w-]))?|\)[*+{]?/g
/** Expressions of fewer groups compile fast enough as they are. */
const manyGroups = 64

/** The structure of an expression outside of classes: its groups that remember, and whether they are referred to. */
function readGroups(source) {
  const groups = []
  const open = []
  let depth = 0
  let isReferred = false
  for (const { 0: part, index } of source.matchAll(structurePattern)) {
    if (part === '[') depth++
    else if (part === ']') depth--
    else if (depth > 0) continue
    else if (/^\\[1-9k]/.test(part)) isReferred = true
    else if (part.startsWith('(')) {
      const group = { index, isKept: false }
      open.push(group)
      if (part === '(') groups.push(group)
      isReferred ||= part === '(?<'
    } else if (part.startsWith(')')) open.pop().isKept = part.length > 1
  }
  return { groups, isReferred }
}

/**
 * Makes groups that nobody asks for groups that remember nothing: V8 takes a tenth of a second to compile an expression of
 * hundreds, as the grammars of JavaScript and TypeScript have. Groups that repeat stay as they are, because V8 overlooks
 * matches of some expressions where they remember nothing (11.3; not with --no-regexp-optimization).
 * @param source of an expression
 * @param used numbers of the groups that are asked for
 * @returns the source, and the numbers that its groups had; undefined where groups are few or refer to each other
 */
export function withGroups(source, used) {
  const { groups, isReferred } = readGroups(source)
  if (groups.length < manyGroups || isReferred) return undefined
  const numbers = groups.map((_, at) => at + 1).filter((number) => used.has(number) || groups[number - 1].isKept)
  let slim = ''
  let from = 0
  for (const [at, { index }] of groups.entries()) {
    slim += source.slice(from, index) + (numbers.includes(at + 1) ? '(' : '(?:')
    from = index + 1
  }
  return { source: slim + source.slice(from), groups: numbers }
}
