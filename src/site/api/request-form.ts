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
  readonly kind: 'bearer' | 'basic' | 'key'
  readonly place: 'header' | 'query' | 'cookie'
  /** Of the header, parameter or cookie. */
  readonly field: string
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
}

export interface FormParameter extends FormField {
  readonly place: 'path' | 'query' | 'header' | 'cookie'
  /** How lists and objects are written, where that is not the usual way of the place. */
  readonly style?: string
  readonly explode?: boolean
}

export interface FormBody {
  readonly type: string
  readonly required?: true
  /** Absent: only its text can be edited. */
  readonly fields?: readonly FormField[]
  /** What is sent first. */
  readonly text?: string
}
