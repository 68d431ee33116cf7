import { commandLinePackage } from '../contract/service.ts'

/** Which documentation a CI deploys, and where. */
export interface WorkflowWish {
  /** Origin of the service. Absent: a variable of the CI with the name `QUIRE_URL` tells it. */
  readonly service?: string
  /** Folder with the docs, from the root of the repository. */
  readonly directory: string
  /** The branch whose pushes go live. */
  readonly main: string
}

/** Name of the secret that has the API key, and of the variable that the command line reads. */
export const keySecret = 'SERVICE_API_KEY'

/** What a key must be allowed for deploys and for previews of pull requests. */
export const keyScopes = ['deploy'] as const

/** Where GitHub looks for workflows. */
export const githubPath = '.github/workflows/docs.yml'

/** A workflow of GitHub Actions: a push to main goes live, a pull request has a preview until it is closed. */
export function githubWorkflow({ service, directory, main }: WorkflowWish): string {
  const url = service ?? '${{ vars.QUIRE_URL }}'
  const paths = directory === '.' ? '' : `\n    paths: [${quoted(`${directory}/**`)}, ${githubPath}]`
  return `name: docs
on:
  push:
    branches: [${quoted(main)}]${paths}
  pull_request:
    types: [opened, synchronize, reopened, closed]${paths}
permissions:
  contents: read
  pull-requests: write # for a comment with the address of the preview
concurrency: docs-\${{ github.ref }}
jobs:
  docs:
    # Pull requests of forks get no secrets.
    if: github.event_name == 'push' || github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    env:
      QUIRE_URL: ${url}
      ${keySecret}: \${{ secrets.${keySecret} }}
      GITHUB_TOKEN: \${{ github.token }}
      PREVIEW: pr-\${{ github.event.number }}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm install --global ${service === undefined ? '"$QUIRE_URL' : service}${commandLinePackage}${service === undefined ? '"' : ''}
      - if: github.event_name == 'push'
        run: ${quoted(`quire deploy ${word(directory)}`)}
      - if: github.event_name == 'pull_request' && github.event.action != 'closed'
        run: ${quoted(`quire deploy ${word(directory)} --branch "$PREVIEW"`)}
      - if: github.event.action == 'closed'
        run: quire preview close "$PREVIEW"
`
}

/** Jobs of GitLab CI that do the same for merge requests. */
export function gitlabJobs({ service, directory, main }: WorkflowWish): string {
  const changes = directory === '.' ? '' : `\n      changes: [${quoted(`${directory}/**/*`)}]`
  const variables = service === undefined ? '' : `\n  variables:\n    QUIRE_URL: ${service}`
  return `# ${keySecret}${service === undefined ? ' and QUIRE_URL are variables' : ' is a masked variable'} of the project: Settings, CI/CD, Variables.
.docs:
  image: node:22${variables}
  before_script:
    - npm install --global "$QUIRE_URL${commandLinePackage}"

docs:
  extends: .docs
  rules:
    - if: $CI_COMMIT_BRANCH == ${JSON.stringify(main)}${changes}
  script:
    - ${quoted(`quire deploy ${word(directory)}`)}

docs preview:
  extends: .docs
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"${changes}
  environment:
    name: docs/$CI_MERGE_REQUEST_IID
    on_stop: docs preview end
  script:
    - ${quoted(`quire deploy ${word(directory)} --branch "mr-$CI_MERGE_REQUEST_IID"`)}

docs preview end:
  extends: .docs
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"${changes}
      when: manual
      allow_failure: true
  environment:
    name: docs/$CI_MERGE_REQUEST_IID
    action: stop
  variables:
    GIT_STRATEGY: none # the branch may be gone
  script:
    - quire preview close "mr-$CI_MERGE_REQUEST_IID"
`
}

/** A word of a shell. */
function word(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** A scalar of YAML: as it is where nothing in it means something there. */
function quoted(text: string): string {
  return /^[\w./][\w./ "$-]*$/.test(text) ? text : JSON.stringify(text)
}
