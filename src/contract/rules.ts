import type { ErrorDetail } from './common.ts'

/** What a check of a site looks for. */
interface Rule {
  /** `error`: the site does not go live with it. */
  readonly level: 'error' | 'warning'
  /** What is wrong, a sentence. */
  readonly about: string
  /** What to do about it, a sentence or two. */
  readonly hint: string
}

/** What may be done about a page that holds the others. */
const offer = ' With onError "keep-old-page" the project would keep the page of before.'

/**
 * Every rule that a deploy, a save and a check judge a site by, by its name. A name keeps its meaning: people and programs
 * go by it.
 */
export const rules = {
  'page-syntax': {
    level: 'error',
    about: 'A page is no MDX: a tag that is not closed, a brace, JavaScript that cannot be read.',
    hint: 'Mend the place. A file that ends in .md is plain Markdown, in which < and { are text.' + offer,
  },
  'page-limit': {
    level: 'error',
    about: 'A page is too large, too deep, or takes too long to be rendered.',
    hint: 'Split the page, or make the costly part simpler.',
  },
  'page-encoding': {
    level: 'error',
    about: 'A page is not UTF-8.',
    hint: 'Save the file as UTF-8.',
  },
  'page-kept': {
    level: 'error',
    about: 'A page cannot be compiled; as the project keeps old pages, readers get it as it was when it last could.',
    hint: 'Mend what is wrong with it or with what it includes.',
  },
  'page-left-out': {
    level: 'error',
    about:
      'A page cannot be compiled and was never live; as the project keeps old pages, the others go live without it.',
    hint: 'Mend what is wrong with it or with what it includes.',
  },
  'page-clash': {
    level: 'error',
    about: 'Two files would have the same address.',
    hint: 'Rename or remove one of the two.',
  },
  'page-none': {
    level: 'error',
    about: 'The project has no page.',
    hint: 'Add index.mdx, or choose the folder that has the pages.',
  },
  'front-matter-syntax': {
    level: 'error',
    about: 'The front matter of a page is no YAML, or holds what front matter may not.',
    hint: 'Write it as `key: value` lines between two lines of ---; put texts with a colon in quotes.' + offer,
  },
  'syntax-accepted': {
    level: 'warning',
    about: 'A page has what is no MDX, or no YAML in its front matter, and is read as it was meant.',
    hint: 'Write it as MDX has it: other tools may refuse the page.',
  },
  'braces-literal': {
    level: 'warning',
    about:
      'Braces hold nothing that a page can show, such as a name that it does not define: they are shown as written.',
    hint: 'Write \\{ for a brace itself, or define the name with export const.',
  },
  'include-missing': {
    level: 'warning',
    about: 'A page includes a snippet or imports a file that the project does not have: nothing is shown in its place.',
    hint: 'Add the file, or correct the path: /x is looked up from the root of the project, ./x beside the file.',
  },
  'include-refused': {
    level: 'error',
    about: 'A page includes what cannot be included: itself, a file outside of the project, too many files.',
    hint: 'Include only files of the project, and none that includes the page again.',
  },
  'settings-syntax': {
    level: 'error',
    about: 'docs.json, or a file that it includes, cannot be read.',
    hint: 'Correct the JSON at this place.',
  },
  'setting-invalid': {
    level: 'error',
    about: 'A setting has a value that it cannot have.',
    hint: 'Give it a value as it is described under docs.json.',
  },
  'settings-limit': {
    level: 'error',
    about: 'docs.json is too large, or a part of it has too many entries.',
    hint: 'Shorten it, or join entries.',
  },
  'setting-link': {
    level: 'error',
    about: 'docs.json has a link that no page may have.',
    hint: 'Write a path of the site, or an address with https, http, mailto or tel.',
  },
  'redirect-invalid': {
    level: 'error',
    about: 'A redirect leads from or to where no redirect may.',
    hint: 'Write paths of the site that begin with /, or an https address as the destination.',
  },
  'redirect-loop': {
    level: 'error',
    about: 'A redirect never arrives: it leads back to itself.',
    hint: 'Lead one of these redirects to a page.',
  },
  'tag-missing': {
    level: 'error',
    about: 'docs.json takes a version from a tag that the project does not have.',
    hint: 'Push the tag to the project, or correct its name.',
  },
  'link-broken': {
    level: 'warning',
    about: 'A link leads to no page, file or redirect of the site.',
    hint: 'Correct the path, or add a redirect from it.',
  },
  'anchor-broken': {
    level: 'warning',
    about: 'A link leads to a part of a page that the page does not have.',
    hint: 'Name the heading as its address has it, or leave the part after # out.',
  },
  'file-missing': {
    level: 'warning',
    about: 'A picture or another file that a page or docs.json shows is not there.',
    hint: 'Add the file, or correct its path.',
  },
  'address-refused': {
    level: 'warning',
    about: 'An address that a page may not lead to is left out.',
    hint: 'Use a path of the site, or an address with https, http, mailto or tel.',
  },
  'alt-missing': {
    level: 'warning',
    about: 'A picture has no words for those who do not see it.',
    hint: 'Say in the alternative text what it shows. Where it only decorates, write <img alt="" … />.',
  },
  'component-unknown': {
    level: 'warning',
    about: 'A page uses a component that there is not: only what stands in it is shown.',
    hint: 'Use one of the components, or import your own from a snippet.',
  },
  'component-property': {
    level: 'warning',
    about: 'A component has a property that it does not know: it does nothing.',
    hint: 'Correct its name, or remove it.',
  },
  'component-value': {
    level: 'warning',
    about: 'A property of a component has a value that is none of its choices: it does nothing.',
    hint: 'Write one of the choices.',
  },
  'icon-unknown': {
    level: 'warning',
    about: 'There is no icon of this name: it is left out.',
    hint: 'Look its name up at Font Awesome (free), Lucide or Tabler.',
  },
  'element-refused': {
    level: 'warning',
    about: 'An element, attribute or style that pages may not have is left out.',
    hint: 'Use Markdown or a component instead.',
  },
  'script-needed': {
    level: 'warning',
    about:
      'A part of a page needs JavaScript that cannot run here: a package, a module that is loaded while it runs, a name that nobody has.',
    hint: 'Put it into a component that the page or a file of the project exports, and import only React and files of the project.',
  },
  'script-failed': {
    level: 'error',
    about: 'A component with JavaScript cannot be bundled for the browser.',
    hint: 'Mend the place. Components can import React and files of the project, by names that those export.',
  },
  'script-remote': {
    level: 'warning',
    about: 'A style sheet or script of the site asks for something that the policy of pages refuses.',
    hint: 'Put what it asks for into the project, and name it by its path.',
  },
  'front-matter-value': {
    level: 'warning',
    about: 'A field of the front matter has a value that it cannot have, and is ignored.',
    hint: 'Give it a value of its kind.',
  },
  'front-matter-name': {
    level: 'warning',
    about: 'A field of the front matter is misspelt, and is ignored.',
    hint: 'Correct its name.',
  },
  'front-matter-ignored': {
    level: 'warning',
    about: 'A field of the front matter that does something elsewhere does nothing here.',
    hint: 'Take it out, or do what the message says instead.',
  },
  'page-unrestricted': {
    level: 'warning',
    about: 'A page that its front matter restricts to groups of readers is shown to everybody who may read the site.',
    hint: 'Make the site private (quire visibility private), or take the page out of the project until then.',
  },
  'front-matter-open': {
    level: 'warning',
    about: 'Front matter has no end: readers see it as text.',
    hint: 'Close it with a line of ---.',
  },
  'setting-unknown': {
    level: 'warning',
    about: 'docs.json has a setting that there is not: it is ignored.',
    hint: 'Correct its name, or remove it.',
  },
  'font-missing': {
    level: 'warning',
    about: 'A font that docs.json names cannot be had, so pages have one of the reader’s system.',
    hint: 'Correct its name or source, or put the file into the project: "source": "/fonts/name.woff2".',
  },
  'setting-limited': {
    level: 'warning',
    about: 'A setting of docs.json works here in part.',
    hint: 'See whether what is left is enough.',
  },
  'settings-old': {
    level: 'warning',
    about: 'The project has a mint.json and no docs.json: it is read as the docs.json that says the same.',
    hint: 'Write docs.json before you use a setting that mint.json has no name for.',
  },
  'setting-ignored': {
    level: 'warning',
    about: 'docs.json has a setting of other services that does nothing here, or an entry that is left out.',
    hint: 'Remove it, or do what is said instead.',
  },
  'setting-repeated': {
    level: 'warning',
    about: 'A key stands twice in an object of docs.json; the last one counts.',
    hint: 'Remove one of them.',
  },
  'navigation-missing': {
    level: 'warning',
    about: 'The navigation names a page that there is not.',
    hint: 'Add the page, or remove the entry.',
  },
  'navigation-empty': {
    level: 'warning',
    about: 'A part of the navigation has no page, and is left out.',
    hint: 'Name its pages, or remove it.',
  },
  'tag-unknown': {
    level: 'warning',
    about: 'A version comes from a tag, which cannot be looked at here: it is left out.',
    hint: 'Nothing is wrong with it. A preview or a deploy of the service shows it.',
  },
  'redirect-ignored': {
    level: 'warning',
    about: 'A redirect is left out: a page has its address, an entry before it, or it has a pattern that is not known.',
    hint: 'Remove it, or correct its source and destination.',
  },
  'redirect-broken': {
    level: 'warning',
    about: 'A redirect leads to no page or file.',
    hint: 'Correct the destination.',
  },
  'redirect-chain': {
    level: 'warning',
    about: 'A redirect leads to another redirect: readers wait twice.',
    hint: 'Lead it straight to the end.',
  },
  'page-orphan': {
    level: 'warning',
    about: 'No navigation, link or redirect leads to a page: nobody finds it.',
    hint: 'Name it in navigation or link to it. With `hidden: true` in its front matter it is hidden on purpose.',
  },
  'page-renamed': {
    level: 'warning',
    about: 'A page of the live site has another address now, and the old one leads nowhere.',
    hint: 'Add the redirect.',
  },
  'title-repeated': {
    level: 'warning',
    about: 'Two pages cannot be told apart: they have the same title in the same place of the navigation.',
    hint: 'Give each a title of its own.',
  },
  'api-unknown': {
    level: 'warning',
    about: 'What a page or the navigation names of an API is in no description of one.',
    hint: 'Write METHOD /path as the description has it, with its file before it if there are several.',
  },
  'api-remote': {
    level: 'warning',
    about: 'A description of an API at another address cannot be read; what it said before is shown, if anything.',
    hint: 'Deploy again when the address answers, with status 200 and at most 8 MB, or put the file into the project.',
  },
  'api-description': {
    level: 'warning',
    about: 'A description of an API is not there, cannot be read, or refers to what is not there.',
    hint: 'Correct the file, or its path in docs.json.',
  },
  'framework-found': {
    level: 'warning',
    about: 'The files are those of another documentation system, and there is no docs.json.',
    hint: 'Turn them into a site of Quire: `quire import <folder> --to docs`.',
  },
  'file-unpublished': {
    level: 'warning',
    about: 'Files are of a type that sites do not publish.',
    hint: 'Leave them out with .quireignore, or send them as another type.',
  },
  'file-link': {
    level: 'warning',
    about: 'A symbolic link of a repository is not followed, and nothing is at its path.',
    hint: 'Let it lead to a file or a folder of the project that is not hidden, or take it out.',
  },
  'file-pointer': {
    level: 'warning',
    about: 'Files are pointers of Git LFS: readers get the pointer.',
    hint: 'Send the files themselves: `git lfs pull` before a deploy.',
  },
} as const satisfies Readonly<Record<string, Rule>>

export type RuleName = keyof typeof rules

/** Of a rule that a newer service has: undefined. */
export function ruleOf(name: string | undefined): Rule | undefined {
  return name !== undefined && Object.hasOwn(rules, name) ? rules[name as RuleName] : undefined
}

/** What is wrong, with the hint of its rule where it has none of its own. */
export function withHint(detail: ErrorDetail): ErrorDetail {
  const hint = detail.hint ?? ruleOf(detail.rule)?.hint
  return hint === undefined ? detail : { ...detail, hint }
}

/** A finding of a page that holds nothing: what its rule offers has been done. */
export function withoutOffer(detail: ErrorDetail): ErrorDetail {
  return detail.hint === undefined ? detail : { ...detail, hint: detail.hint.replace(offer, '') }
}

/** How many were found, those included that are not listed. */
export function countOf(details: readonly ErrorDetail[]): number {
  return details.reduce((sum, { more = 1 }) => sum + more, 0)
}
