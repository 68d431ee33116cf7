// What a line must hold before a regular expression can match in it: most patterns of a grammar do not match in most
// lines, and looking for a few characters says so far sooner than running the expression does.
//
// A need is a list of which the line holds at least one: characters, and pairs of neighbours in ASCII and lower case. All
// characters beyond Latin-1 are one, U+0100. What is not understood needs nothing, so that it is run.

/** A longer list costs more to look for than it saves. */
const longest = 64
/** The first need that is not met ends the search, and more than a few say nothing new. */
const mostNeeds = 6
/** Nearly every line has them. */
const common = /[ \n]/

const latin1 = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))

/** Properties of strings match more than a character. */
const stringsPattern = /\\q|\\[pP]\{(?:Basic_Emoji|RGI|Emoji_Keycap)/

/** What stands for all characters beyond Latin-1; src/site/highlight/line.ts knows it, too. */
const beyondLatin1 = '\u0100'

/** All of those. Low surrogates come before high ones, so that none of them makes a pair. */
const beyond = [
  [0x100, 0xd7ff],
  [0xdc00, 0xdfff],
  [0xd800, 0xdbff],
  [0xe000, 0x10_ffff],
]
  .map(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, position) => String.fromCodePoint(first + position)).join(''),
  )
  .join('')

/** The characters that an atom of one character matches, by flags and source. */
const matched = new Map()

function charactersOf(atom, flags) {
  const key = `${flags} ${atom}`
  let characters = matched.get(key)
  if (characters === undefined) {
    const regexp = new RegExp(`^${atom}$`, flags)
    characters = latin1.filter((character) => regexp.test(character))
    if (new RegExp(atom, flags).test(beyond)) characters.push(beyondLatin1)
    matched.set(key, characters)
  }
  return characters
}

/**
 * @param source of an expression with the flag `v`
 * @param flags its flags
 * @returns lists of strings of one or two characters, those first that few lines hold
 */
export function needsOf(source, flags) {
  const needs = new Reader(source, flags.replace(/[dgy]/g, '')).alternatives()
  const unique = new Map(needs.map((need) => [need.join('\0'), need]))
  return [...unique.values()].sort(byRarity).slice(0, mostNeeds)
}

/** Pairs are rarer than characters, short lists than long ones. */
function byRarity(a, b) {
  return weight(a) - weight(b)
}

function weight(need) {
  return need.reduce((sum, text) => sum + (text.length === 2 ? 1 : 8), 0)
}

class Reader {
  constructor(source, flags) {
    this.source = source
    this.flags = flags
    this.at = 0
  }

  /** Up to the end of the group or of the source. One of the alternatives matches: what one of them needs is there. */
  alternatives() {
    const branches = [this.sequence()]
    while (this.take('|')) branches.push(this.sequence())
    if (branches.length === 1) return branches[0]
    if (branches.some((needs) => needs.length === 0)) return []
    const either = [...new Set(branches.flatMap((needs) => needs.toSorted(byRarity)[0]))]
    return either.length > longest ? [] : [either]
  }

  sequence() {
    const needs = []
    // The character that stands right before, if only one can.
    let before
    while (this.at < this.source.length && !this.sees('|') && !this.sees(')')) {
      if (this.take('(')) {
        const group = this.group()
        const isOptional = this.quantifier()
        if (!isOptional) needs.push(...group.needs)
        if (!group.isAssertion) before = undefined
        continue
      }
      const atom = this.atom()
      if (atom === undefined) continue
      const isOptional = this.quantifier()
      const literal = isOptional ? undefined : atom.literal
      if (!isOptional && atom.characters !== undefined) needs.push(...wanted(atom.characters))
      if (literal !== undefined && before !== undefined) needs.push([before + literal])
      before = literal
    }
    return needs
  }

  group() {
    const [opening] = /^\?(?:<[=!]|[=!:]|<[^>]+>)/.exec(this.source.slice(this.at, this.at + 200)) ?? ['']
    if (opening === '' && this.sees('?')) throw new Error(`A group that is not known: ${this.source}`)
    this.at += opening.length
    const needs = this.alternatives()
    if (!this.take(')')) throw new Error(`A group that does not end: ${this.source}`)
    const isNegative = opening.endsWith('!')
    return { needs: isNegative ? [] : needs, isAssertion: isNegative || opening.endsWith('=') }
  }

  /** What matches one character; undefined for an assertion, which stands between its neighbours and keeps them such. */
  atom() {
    if (this.take('^') || this.take('$') || this.take('\\b') || this.take('\\B')) return undefined
    const start = this.at
    if (this.sees('\\')) {
      const [escape = ''] =
        /^\\(?:[1-9]\d*|k<[^>]*>|[pP]\{[^}]*\}|u\{[^}]*\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[\s\S])/u.exec(
          this.source.slice(start),
        ) ?? []
      this.at += escape.length
      // What a group held may be nothing.
      if (/^\\[1-9k]/.test(escape)) return {}
    } else if (this.sees('[')) this.skipClass()
    else this.at += String.fromCodePoint(this.source.codePointAt(start) ?? 0).length
    const text = this.source.slice(start, this.at)
    if (stringsPattern.test(text)) return {}
    const characters = charactersOf(text, this.flags)
    const folded = new Set(characters.map((character) => character.toLowerCase()))
    const [literal] = folded.size === 1 ? folded : []
    return { characters, literal: literal !== undefined && literal < '\x80' ? literal : undefined }
  }

  /** Classes hold classes. */
  skipClass() {
    let depth = 0
    do {
      if (this.sees('\\')) this.at++
      else if (this.sees('[')) depth++
      else if (this.sees(']')) depth--
      this.at++
    } while (depth > 0)
  }

  /** Reads a quantifier; whether what it stands behind may be missing. */
  quantifier() {
    const [all, least] = /^(?:[*?]|\+|\{(\d+)(?:,\d*)?\})\??/.exec(this.source.slice(this.at, this.at + 40)) ?? ['']
    this.at += all.length
    return all.startsWith('*') || all.startsWith('?') || least === '0'
  }

  sees(text) {
    return this.source.startsWith(text, this.at)
  }

  take(text) {
    const is = this.sees(text)
    if (is) this.at += text.length
    return is
  }
}

function wanted(characters) {
  return characters.length > longest || characters.some((character) => common.test(character)) ? [] : [characters]
}
