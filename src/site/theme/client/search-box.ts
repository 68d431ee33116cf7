import { SearchIndex, type Hit } from '../../search/engine.ts'
import { KeptFiles, WholeFiles, type WholeIndex } from '../../search/files.ts'
import type { Scope } from '../../search/format.ts'
import { all, base, make, root } from './browser.ts'
import { forgetRecent, keepRecent, recentQueries } from './search-recent.ts'
import { group, hitOption, nameOf, recentOption } from './search-results.ts'
import { fillText } from '../words/words.ts'
import type { SearchWords } from '../words/search.ts'

const icon =
  '<svg class="q-i" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/></svg>'

/** In the language of the page. */
const words = JSON.parse(all('[data-search]')[0]?.getAttribute('data-words') ?? '{}') as SearchWords

/** How long nothing must be typed before it is looked up, in milliseconds: of what is typed on, nothing is loaded. */
const pause = 120
/** Of fewer letters, half of all pages would be found. */
const fewest = 2

const dialog = make('dialog', { class: 'q-search', 'aria-label': words.search })
const input = make('input', {
  type: 'text',
  role: 'combobox',
  autofocus: '',
  autocomplete: 'off',
  autocapitalize: 'none',
  autocorrect: 'off',
  spellcheck: 'false',
  enterkeyhint: 'go',
  maxlength: '200',
  placeholder: words.search,
  'aria-label': words.search,
  'aria-autocomplete': 'list',
  'aria-controls': 'q-search-list',
  'aria-expanded': 'false',
})
const close = make('button', { type: 'button', class: 'q-button-icon q-search-close', 'aria-label': words.close })
const filters = make('div', { class: 'q-search-filters' })
const list = make('div', { class: 'q-search-list', id: 'q-search-list', role: 'listbox', 'aria-label': words.results })
const note = make('p', { class: 'q-search-note' })
const forget = make('button', { type: 'button', class: 'q-search-forget' })
const status = make('p', { class: 'q-hidden', role: 'status' })

/** Indexes by scope, as they were opened. */
const indexes = new Map<number, Promise<SearchIndex>>()
let scope = 0
let tab = ''
/** Entries of the changelog, which a document names by its feeds; they have an index of their own. */
let entries: Promise<SearchIndex> | undefined
/** Options that can be chosen, in order, and which of them is. */
let options: HTMLElement[] = []
let chosen = -1
/** Of the last query: what an earlier one finds later is not shown. */
let asked = 0
let waiting = 0

/** @param begin number of the version and language that the page is of */
export function open(begin = 0): void {
  if (!dialog.isConnected) {
    scope = begin
    build()
  }
  if (dialog.open) {
    dialog.close()
    return
  }
  dialog.showModal()
  input.focus()
  input.select()
  void prepare()
  if (input.value === '') showRecent()
}

function build(): void {
  const head = make('div', { class: 'q-search-head' })
  head.innerHTML = icon
  close.append('×')
  forget.append(words.forget)
  head.append(input, close)
  list.hidden = true
  dialog.append(head, filters, status, list, forget, note)
  root.querySelector(':scope > body')?.append(dialog)
  close.addEventListener('click', () => dialog.close())
  input.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = window.setTimeout(() => void search(), input.value === '' ? 0 : pause)
  })
  input.addEventListener('keydown', onKey)
  forget.addEventListener('click', () => {
    forgetRecent()
    showRecent()
    input.focus()
  })
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
    const option = target instanceof Element ? target.closest<HTMLElement>('[role=option]') : null
    if (option !== null) take(option)
  })
  list.addEventListener('pointermove', ({ target }) => {
    const option = target instanceof Element ? target.closest<HTMLElement>('[role=option]') : null
    if (option !== null) choose(options.indexOf(option), false)
  })
}

/** Opens the index, so that it is there when something is typed, and shows what can be chosen in it. */
async function prepare(): Promise<void> {
  try {
    const { root: site } = await indexOf(scope)
    showFilters(site.scopes, site.tabs)
  } catch {
    // The first query says it.
  }
}

async function indexOf(number: number): Promise<SearchIndex> {
  const known = indexes.get(number)
  if (known !== undefined) return known
  const opened = SearchIndex.open(new KeptFiles(read, number))
  indexes.set(number, opened)
  opened.catch(() => indexes.delete(number))
  return opened
}

async function read(path: string): Promise<string> {
  const response = await fetch(base + path)
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.text()
}

async function search(): Promise<void> {
  const query = input.value
  const mine = ++asked
  if (query.trim().length < fewest && !/[^\p{Script=Latin}\p{P}\s]/u.test(query)) {
    showRecent()
    return
  }
  try {
    const [hits, news] = await Promise.all([find(query), findEntries(query)])
    if (mine === asked) show(query, [...hits, ...news])
  } catch {
    if (mine === asked) say(words.broken)
  }
}

/** What is asked while a new release takes the place of the one before is asked once more. */
async function find(query: string): Promise<readonly Hit[]> {
  const under = { tab: tab === '' ? undefined : tab }
  try {
    return await (await indexOf(scope)).search(query, under)
  } catch {
    indexes.delete(scope)
    return (await indexOf(scope)).search(query, under)
  }
}

/** Without it all else is found. */
async function findEntries(query: string): Promise<readonly Hit[]> {
  // Pages have feeds of their own, in one form.
  const feed = all('link[type="application/atom+xml"]')[0]?.getAttribute('href')
  if (tab !== '' || feed?.startsWith('/') !== true) return []
  try {
    entries ??= read(feed.slice(base.length).replace('atom.xml', 'search.json')).then((text) =>
      SearchIndex.open(new WholeFiles(JSON.parse(text) as WholeIndex)),
    )
    const hits = await (await entries).search(query, { pages: 3, sections: 1 })
    return hits.map((hit) => ({ ...hit, tab: words.changelog }))
  } catch {
    entries = undefined
    return []
  }
}

function show(query: string, hits: readonly Hit[]): void {
  const groups = new Map<string, HTMLElement>()
  options = []
  for (const hit of hits) {
    const at = groups.get(hit.path) ?? group(nameOf(hit), groups.size)
    groups.set(hit.path, at)
    const option = hitOption(hit, options.length)
    options.push(option)
    at.append(option)
  }
  list.replaceChildren(...groups.values())
  forget.hidden = true
  const none = hits.length === 0 ? fillText(words.none, { query: query.trim() }) : ''
  reveal(none)
  status.textContent = none === '' ? fillText(words.found, { count: String(hits.length) }) : none
  choose(0, true)
}

function showRecent(): void {
  asked += 1
  const queries = input.value === '' ? recentQueries() : []
  options = queries.map((query, index) => recentOption(query, index))
  list.replaceChildren(group(words.recent, 0))
  list.firstElementChild?.append(...options)
  forget.hidden = queries.length === 0
  reveal('')
  status.textContent = ''
  choose(-1, true)
}

function say(text: string): void {
  options = []
  list.replaceChildren()
  reveal(text)
  status.textContent = text
}

function reveal(text: string): void {
  note.textContent = text
  list.hidden = options.length === 0
  list.scrollTop = 0
  input.setAttribute('aria-expanded', String(options.length > 0))
}

function choose(index: number, isScrolled: boolean): void {
  options[chosen]?.removeAttribute('aria-selected')
  chosen = Math.min(index, options.length - 1)
  const option = options[chosen]
  for (const other of options) other.setAttribute('aria-selected', String(other === option))
  if (option === undefined) input.removeAttribute('aria-activedescendant')
  else input.setAttribute('aria-activedescendant', option.id)
  if (isScrolled) option?.scrollIntoView({ block: 'nearest' })
}

function onKey(event: KeyboardEvent): void {
  if (event.isComposing) return
  const last = options.length - 1
  const to =
    event.key === 'ArrowDown'
      ? chosen >= last
        ? 0
        : chosen + 1
      : event.key === 'ArrowUp'
        ? chosen <= 0
          ? last
          : chosen - 1
        : event.key === 'PageDown'
          ? Math.min(last, chosen + 5)
          : event.key === 'PageUp'
            ? Math.max(0, chosen - 5)
            : null
  if (to !== null) {
    event.preventDefault()
    choose(to, true)
  } else if (event.key === 'Enter') {
    event.preventDefault()
    // With the keys that were pressed: a new window is a new window here, too.
    options[chosen]?.dispatchEvent(
      new MouseEvent('click', { bubbles: true, cancelable: true, view: window, ...keysOf(event) }),
    )
  }
}

function keysOf({ metaKey, ctrlKey, shiftKey }: KeyboardEvent): MouseEventInit {
  return { metaKey, ctrlKey, shiftKey }
}

/** What an option does beside leading somewhere. */
function take(option: HTMLElement): void {
  const query = option.getAttribute('data-query')
  if (query === null) {
    keepRecent(input.value.trim())
    // It may lead to a place on this very page.
    dialog.close()
    return
  }
  input.value = query
  input.focus()
  void search()
}

function showFilters(scopes: readonly Scope[], tabs: readonly string[]): void {
  const current = scopes[scope] ?? {}
  const choices: HTMLElement[] = []
  const add = (label: string, values: readonly string[], value: string, onChange: (value: string) => void): void => {
    if (values.length < 2) return
    const select = make('select', { 'aria-label': label })
    for (const one of values) {
      const option = make('option', { value: one })
      option.append(one === '' ? words.all : one)
      option.selected = one === value
      select.append(option)
    }
    select.addEventListener('change', () => {
      onChange(select.value)
      void prepare()
      void search()
    })
    choices.push(select)
  }
  const go = (wanted: Scope): void => {
    scope = nearest(scopes, wanted)
    tab = ''
  }
  add(words.version, distinct(scopes.map(({ version = '' }) => version)), current.version ?? '', (version) =>
    go({ ...current, version }),
  )
  add(words.language, distinct(scopes.map(({ language = '' }) => language)), current.language ?? '', (language) =>
    go({ ...current, language }),
  )
  add(words.section, tabs.length < 2 ? [] : ['', ...tabs], tab, (value) => {
    tab = value
  })
  filters.replaceChildren(...choices)
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)]
}

/** The scope that is most like one; what was just chosen counts. */
function nearest(scopes: readonly Scope[], { version = '', language = '' }: Scope): number {
  const likeness = (one: Scope): number =>
    ((one.version ?? '') === version ? 1 : 0) + ((one.language ?? '') === language ? 1 : 0)
  let best = 0
  for (const [index, one] of scopes.entries()) if (likeness(one) > likeness(scopes[best] ?? {})) best = index
  return best
}
