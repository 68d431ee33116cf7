import { escapeHtml } from '../../lib/html.ts'
import { codeSpan, destination, label, type Attributes, type Close } from './text.ts'
import { Tables } from './tables.ts'
import type { MarkdownWriter } from './writer.ts'

/** Elements that begin and end a block. */
const blocks: ReadonlySet<string> = new Set(
  (
    'address article aside body center dd details div dl dt fieldset figcaption figure footer form header hgroup legend ' +
    'main menu nav p search section summary tbody tfoot thead'
  ).split(' '),
)
const words: Readonly<Record<string, readonly [string, string]>> = {
  strong: ['**', '**'],
  b: ['**', '**'],
  em: ['*', '*'],
  i: ['*', '*'],
  del: ['~~', '~~'],
  s: ['~~', '~~'],
  sup: ['<sup>', '</sup>'],
  sub: ['<sub>', '</sub>'],
}
/** Callouts as GitHub writes them: it has five kinds. */
const alerts: Readonly<Record<string, string>> = {
  note: 'NOTE',
  info: 'NOTE',
  tip: 'TIP',
  check: 'TIP',
  warning: 'WARNING',
  danger: 'CAUTION',
}

/** An element that begins. */
interface Start {
  readonly name: string
  readonly classes: string
  readonly attributes: Attributes
  /** Name of the element around it. */
  readonly parent: string | undefined
}

/** A heading, notes at the foot of the page, a tree of files, a tip, what nobody needs to read. */
type Place = 'heading' | 'notes' | 'tree' | 'tip' | 'silence'

/** What elements become: those of HTML by their names, those that components write by their classes. */
export class Elements {
  readonly #writer: MarkdownWriter
  /** Numbers of the items of the lists around; undefined for one without numbers. */
  readonly #lists: { next: number | undefined }[] = []
  readonly #tables: Tables
  /** Text of code in a line, while it is read. */
  #code: string[] | undefined
  /** How many of these are around. */
  readonly #within: Record<Place, number> = { heading: 0, notes: 0, tree: 0, tip: 0, silence: 0 }
  #chips = 0
  #facts = 0
  /** Examples that are all the same, while one of them is read. */
  #alike: number | undefined

  constructor(writer: MarkdownWriter) {
    this.#writer = writer
    this.#tables = new Tables(writer)
  }

  /** What is read now is left out. */
  get isSilent(): boolean {
    return this.#within.silence > 0
  }

  text(text: string): void {
    if (this.isSilent) return
    if (this.#code !== undefined) this.#code.push(text)
    else this.#writer.text(text)
  }

  /** Begins an element; what it gives is to be done where that ends. */
  open(start: Start): Close {
    const own = /^q-[\w-]+/.exec(start.classes)?.[0]
    const known = own === undefined ? undefined : this.#component(own, start)
    return known ?? this.#html(start)
  }

  #html({ name, attributes, parent }: Start): Close {
    const writer = this.#writer
    const heading = /^h([1-6])$/.exec(name)?.[1]
    if (heading !== undefined) return this.#heading(Number(heading), attributes)
    const around = words[name]
    if (around !== undefined) return this.#mark(...around)
    switch (name) {
      case 'a':
        return this.#link(attributes)
      case 'code':
      case 'kbd':
      case 'samp':
        return this.#codeSpan(codeSpan)
      case 'ul':
      case 'ol':
        return this.#list(name === 'ul' ? undefined : Number(attributes['start'] ?? 1), parent)
      case 'li':
        return this.#item(attributes)
      case 'blockquote':
        writer.enter('> ', '> ', 2)
        return () => this.#leave()
      case 'table':
        return this.#tables.table()
      case 'tr':
        return () => this.#tables.row()
      case 'td':
      case 'th':
        return this.#tables.cell(attributes)
      case 'iframe':
      case 'video':
      case 'audio':
        this.media(name === 'audio' ? 'Audio' : 'Video', attributes)
        return undefined
      case 'dt':
      case 'summary':
        return name === 'summary' && this.#within.tree > 0 ? undefined : this.#styled('**')
      case 'figcaption':
        return this.#styled('*')
      case 'section':
        if (attributes['data-footnotes'] !== undefined) return this.#enclosed('notes')
        break
      default:
    }
    if (!blocks.has(name) || (name === 'details' && this.#within.tree > 0)) return undefined
    writer.paragraph()
    return () => writer.block()
  }

  /** Elements that components write; undefined for those that are what their names say. */
  #component(own: string, { name, classes, attributes, parent }: Start): Close {
    const writer = this.#writer
    switch (own) {
      case 'q-callout': {
        const kind = /q-callout-(\w+)/.exec(classes)?.[1] ?? 'note'
        writer.enter('> ', '> ', 2)
        writer.write(`[!${alerts[kind] ?? 'NOTE'}]`)
        writer.keepTogether()
        return () => this.#leave()
      }
      case 'q-card':
        return this.#entry('- ')
      case 'q-card-title':
        writer.block()
        return () => writer.join(': ')
      case 'q-card-cover':
        writer.write(`[${label(attributes['href'] ?? '')}](${destination(attributes['href'] ?? '')})`)
        return () => writer.join(': ')
      case 'q-steps':
        return this.#list(1, parent)
      case 'q-step': {
        const list = this.#lists.at(-1)
        const number = Number(attributes['data-number'] ?? list?.next ?? 1)
        if (list !== undefined) list.next = number + 1
        return this.#entry(`${number}. `)
      }
      case 'q-step-title':
      case 'q-tab-title':
      case 'q-example-title':
      case 'q-callout-title':
        return this.#styled('**')
      case 'q-accordion-description':
        writer.endMarks()
        writer.write(': ')
        return undefined
      case 'q-frame-hint':
        return this.#styled('*')
      case 'q-field':
        return this.#entry('- ')
      case 'q-field-head':
        this.#chips = 0
        return () => {
          if (this.#chips > 0) writer.write(')')
          writer.join(': ')
        }
      case 'q-field-name':
      case 'q-heading-anchor':
        return () => undefined
      case 'q-field-facts':
        this.#facts = 0
        writer.paragraph()
        return () => writer.block()
      case 'q-field-fact':
        if (this.#facts++ > 0) writer.tight('; ')
        return () => undefined
      case 'q-field-options':
        writer.space()
        return () => undefined
      case 'q-endpoint':
        writer.block()
        return () => writer.block()
      case 'q-method': {
        const close = this.#mark('**', '**')
        return () => {
          close?.()
          writer.space()
        }
      }
      case 'q-tabs':
        if (attributes['id']?.startsWith('schema-') === true) this.#target(attributes['id'])
        if (attributes['data-alike'] !== undefined) this.#alike = 0
        return () => {
          this.#alike = undefined
        }
      case 'q-tab':
        // The same in another language.
        return this.#alike !== undefined && this.#alike++ > 0 ? this.#enclosed('silence') : undefined
      case 'q-quiet':
      case 'q-endpoint-copy':
      case 'q-try':
      case 'q-prompt-actions':
        return this.#enclosed('silence')
      case 'q-swatch-title':
        return this.#styled('**')
      case 'q-swatch-value':
        writer.space()
        return this.#codeSpan(codeSpan)
      case 'q-math-error':
        return this.#codeSpan((tex) => `$${tex}$`)
      case 'q-tree':
        return this.#tree(parent)
      case 'q-tree-comment':
        writer.space()
        writer.write('(')
        return () => writer.write(')')
      case 'q-tooltip-tip':
        return this.#tip()
      default:
    }
    if (name === 'span' && own.startsWith('q-field-')) return this.#chip()
    return undefined
  }

  #leave(): void {
    this.#writer.leave()
    this.#writer.block()
  }

  #enclosed(place: Place): Close {
    this.#within[place]++
    return () => {
      this.#within[place]--
    }
  }

  /** What plays, as a link to it. */
  media(kind: string, { src, title }: Attributes): void {
    if (src !== undefined && !src.startsWith('data:'))
      this.#writer.write(`[${label(title ?? kind)}](${destination(src)})`)
  }

  #heading(level: number, { id }: Attributes): Close {
    // The heading over the notes at the foot of the page is for screen readers.
    if (id === 'footnote-label') return this.#enclosed('silence')
    this.#writer.block()
    this.#within.heading++
    return () => {
      this.#within.heading--
      this.#writer.heading(level)
    }
  }

  #mark(open: string, close: string): Close {
    // A heading is bold by itself.
    if (open === '**' && this.#within.heading > 0) return undefined
    const mark = this.#writer.open(open, close)
    const isHeadOfTip = open === '**' && this.#within.tip > 0
    return () => {
      this.#writer.close(mark)
      if (isHeadOfTip) this.#writer.write(': ')
    }
  }

  /** A block of its own, all of it bold or emphasised. */
  #styled(mark: '**' | '*'): Close {
    this.#writer.block()
    const opened = this.#writer.open(mark, mark)
    return () => {
      this.#writer.close(opened)
      this.#writer.block()
    }
  }

  /** Links of the page lead here: headings alone are found without one. */
  #target(id: string): void {
    this.#writer.write(`<a id="${escapeHtml(id)}"></a>`)
    this.#writer.space()
  }

  #link(attributes: Attributes): Close {
    const { href, name } = attributes
    if (href === undefined && name?.startsWith('schema-') === true) this.#target(name)
    if (this.#code !== undefined || href === undefined) return undefined
    if (attributes['data-footnote-ref'] !== undefined) {
      this.#writer.drop('<sup>')
      this.#writer.write(`[^${noteOf(href)}]`)
      return this.#enclosed('silence')
    }
    if (attributes['data-footnote-backref'] !== undefined) return this.#enclosed('silence')
    if (this.#within.tip > 0) this.#writer.space()
    // A heading that leads to itself.
    if (this.#within.heading > 0 && href.startsWith('#')) return undefined
    const mark = this.#writer.open('[', `](${destination(href)})`)
    return () => this.#writer.close(mark)
  }

  #codeSpan(shape: (code: string) => string): Close {
    if (this.#code !== undefined) return undefined
    this.#code = []
    return () => {
      const code = (this.#code ?? []).join('').replaceAll(/\s+/g, ' ')
      this.#code = undefined
      if (code.trim() !== '') this.#writer.write(shape(code))
    }
  }

  #list(start: number | undefined, parent: string | undefined): Close {
    const isNested = parent === 'li' || (parent === 'details' && this.#within.tree > 0)
    this.#writer.block(isNested ? 1 : 2)
    this.#lists.push({ next: start })
    return () => {
      this.#lists.pop()
      this.#writer.block(isNested ? 1 : 2)
    }
  }

  #item({ id = '' }: Attributes): Close {
    if (this.#within.notes > 0) {
      const note = `[^${noteOf(id)}]: `
      this.#writer.enter(note, '    ', 1)
      return () => this.#writer.leave()
    }
    const list = this.#lists.at(-1)
    if (list?.next === undefined) return this.#entry('- ')
    return this.#entry(`${list.next++}. `)
  }

  #entry(first: string): Close {
    this.#writer.enter(first, ' '.repeat(first.length), 1)
    return () => this.#writer.leave()
  }

  #tree(parent: string | undefined): Close {
    this.#within.tree++
    const close = this.#list(undefined, parent)
    return () => {
      this.#within.tree--
      close?.()
    }
  }

  /** What a tooltip says, behind the word that has it. */
  #tip(): Close {
    this.#writer.space()
    this.#writer.write('(')
    this.#within.tip++
    return () => {
      this.#within.tip--
      this.#writer.write(')')
    }
  }

  /** A word about a field, in brackets behind its name. */
  #chip(): Close {
    this.#writer.tight(this.#chips++ === 0 ? ' (' : ', ')
    return undefined
  }
}

/** `#user-content-fn-a` → `a`. */
function noteOf(address: string): string {
  return address.replace(/^#?(?:user-content-)?fn-/, '').replaceAll(/[[\]\s]/g, '')
}
