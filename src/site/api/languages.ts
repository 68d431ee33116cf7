import { HTTPSnippet } from '@readme/httpsnippet'

/** Title, the language of its colours, and the generator. */
type Language = readonly [title: string, colours: string, ...generator: Parameters<HTTPSnippet['convert']>]

export const languages: Readonly<Record<string, Language>> = {
  curl: ['cURL', 'bash', 'shell', 'curl'],
  python: ['Python', 'python', 'python', 'requests'],
  javascript: ['JavaScript', 'javascript', 'javascript', 'fetch'],
  typescript: ['TypeScript', 'typescript', 'javascript', 'fetch'],
  node: ['Node.js', 'javascript', 'node', 'fetch'],
  go: ['Go', 'go', 'go', 'native'],
  java: ['Java', 'java', 'java', 'okhttp'],
  php: ['PHP', 'php', 'php', 'curl'],
  ruby: ['Ruby', 'ruby', 'ruby', 'native'],
  csharp: ['C#', 'csharp', 'csharp', 'httpclient'],
  dotnet: ['.NET', 'csharp', 'csharp', 'restsharp'],
  kotlin: ['Kotlin', 'kotlin', 'kotlin', 'okhttp'],
  swift: ['Swift', 'swift', 'swift', 'nsurlsession'],
  powershell: ['PowerShell', 'powershell', 'powershell', 'webrequest'],
  c: ['C', 'c', 'c', 'libcurl'],
  r: ['R', 'r', 'r', 'httr'],
}
const usual = ['curl', 'python', 'javascript', 'go', 'java', 'php', 'ruby', 'csharp']
/** Other names for them, as docs.json may have them. */
const aliases: Readonly<Record<string, string>> = {
  bash: 'curl',
  sh: 'curl',
  shell: 'curl',
  js: 'javascript',
  ts: 'typescript',
  py: 'python',
  golang: 'go',
  rb: 'ruby',
  kt: 'kotlin',
  'c#': 'csharp',
  '.net': 'dotnet',
  'dot-net': 'dotnet',
  nodejs: 'node',
  'node.js': 'node',
  cpp: 'c',
  'c++': 'c',
}

/** Those that docs.json names, as far as there is a generator, else the usual ones; each once. */
export function chosenLanguages(names: readonly string[] = usual): readonly string[] {
  const known = names.map((name) => aliases[name.toLowerCase()] ?? name.toLowerCase())
  return [...new Set(known)].filter((name) => Object.hasOwn(languages, name))
}

/** A request as HTTP Archives have it. */
export type HarRequest = ConstructorParameters<typeof HTTPSnippet>[0]

/**
 * Its forms with files are put together here: theirs are made by Node’s `FormData`, whose code compiles WebAssembly in
 * threads, which children have not, and is not in browsers.
 */
class Snippet extends HTTPSnippet {
  override async prepare(request: PreparedRequest, options: Parameters<HTTPSnippet['prepare']>[1]) {
    const { postData } = request as { postData: { mimeType: string; params?: readonly FormParam[] } }
    const { params } = postData
    if (params === undefined || !/^multipart\//i.test(postData.mimeType)) return super.prepare(request, options)
    const mimeType = 'multipart/form-data'
    const type = `${mimeType}; boundary=${boundary}`
    const headers = (request.headers as readonly FormParam[]).filter(({ name }) => !/^content-type$/i.test(name))
    const whole = { ...request, headers: [...headers, { name: 'Content-Type', value: type }] }
    const prepared = await super.prepare({ ...whole, postData: { mimeType: 'text/plain', text: '' } }, options)
    return { ...prepared, postData: { ...postData, mimeType, boundary, text: formText(params) } }
  }
}

type PreparedRequest = Parameters<HTTPSnippet['prepare']>[0]
/** A field of a form. */
export interface FormParam {
  readonly name: string
  readonly value?: string
  readonly fileName?: string
}

/** As in samples everywhere. */
const boundary = '---011000010111000001101001'

function formText(params: readonly FormParam[]): string {
  const parts = params.map(({ name, value = '', fileName }) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: application/octet-stream`
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
  })
  return `${parts.join('')}--${boundary}--`
}

/** The code that sends a request; undefined where its generator makes none of it. */
export async function codeOf(request: HarRequest, name: string): Promise<string | undefined> {
  const language = languages[name]
  if (language === undefined) return undefined
  const [, , target, client] = language
  const [snippet] = [await new Snippet(request).convert(target, client)].flat()
  // What is still to be filled in reads as it is written, and not as a part of an address.
  return typeof snippet === 'string'
    ? snippet
        .trim()
        .replaceAll(/%7B([\w.-]+)%7D/g, '{$1}')
        .replaceAll(/%3C([\w.-]+)%3E/g, '<$1>')
    : undefined
}
