/** What the playground makes its form of. It stands in the page as JSON. */
export interface RequestForm {
  readonly method: string
  readonly path: string
  readonly servers: readonly FormServer[]
  /** Ways to say who asks, of which one is enough; one without credentials is for everybody. */
  readonly security: readonly (readonly FormCredential[])[]
  readonly parameters: readonly FormParameter[]
  /** By media type; of none, nothing is sent. */
  readonly bodies: readonly FormBody[]
  /** Of the samples that follow, by name. */
  readonly languages: readonly string[]
  /** The browser sends what it keeps of the server: cookies. */
  readonly credentials?: true
}

export interface FormServer {
  readonly url: string
  readonly about?: string
  readonly variables: readonly FormField[]
}

export interface FormCredential {
  readonly name: string
  /** `scheme`: the whole of the header; `certificate`: nothing that a page can send. */
  readonly kind: 'bearer' | 'basic' | 'key' | 'scheme' | 'certificate'
  readonly place: 'header' | 'query' | 'cookie'
  /** Of the header, parameter or cookie. */
  readonly field: string
  /** As samples have it until it is shown. */
  readonly sample: string
  /** Where tokens are given out. */
  readonly flows?: readonly FormFlow[]
  /** That the operation asks for. */
  readonly scopes?: readonly string[]
}

/** A way to a token. */
export interface FormFlow {
  readonly name: string
  /** As the description calls them. */
  readonly addresses: readonly (readonly [word: string, address: string])[]
  readonly scopes: readonly (readonly [name: string, about: string])[]
}

export interface FormField {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'file' | 'list' | 'object' | 'json'
  readonly required?: true
  readonly options?: readonly string[]
  /** What it begins with. */
  readonly value?: string
  /** What it may look like. */
  readonly example?: string
  readonly about?: string
  /** Of an object. */
  readonly fields?: readonly FormField[]
  /** Of a list: what each of it is. */
  readonly item?: FormField
  /** How lists and objects are written, where that is not the usual way of the place. */
  readonly style?: string
  readonly explode?: boolean
  /** It is written as JSON. */
  readonly json?: true
}

export interface FormParameter extends FormField {
  readonly place: 'path' | 'query' | 'header' | 'cookie'
}

export interface FormBody {
  readonly type: string
  readonly required?: true
  /** Absent: only its text can be edited. */
  readonly fields?: readonly FormField[]
  /** What is sent first. */
  readonly text?: string
}
