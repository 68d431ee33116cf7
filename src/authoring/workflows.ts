import { commandLine } from '../contract/service.ts'

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

/**
 * Installs the command line alone, without what only its UI and sessions of people use, and asks no registry, which may
 * not answer: what else npm looks for, the service does not have either.
 */
const install = `npm install --global --omit=optional --ignore-scripts --registry="$QUIRE_URL" "$QUIRE_URL${commandLine}"`

/** A workflow of GitHub Actions: a push to main goes live, a pull request has a preview until it is closed. */
export function githubWorkflow({ service, directory, main }: WorkflowWish): string {
  const url = service ?? '${{ vars.QUIRE_URL }}'
  const isAll = directory === '.'
  const paths = isAll ? '' : `\n    paths: [${quoted(`${directory}/**`)}, ${githubPath}]`
  const isUnchanged = isAll ? '' : ` || git diff --quiet HEAD^ -- ${word(directory)} ${githubPath}`
  return `name: docs
on:
  push:
    branches: [${quoted(main)}]${paths}
  # Without paths: a request that touches the docs no more has to lose its preview, too.
  pull_request:
    types: [opened, synchronize, reopened, closed]
permissions:
  contents: read
  pull-requests: write # for a comment with the address of the preview
# By request: the ref of one that was merged is main, whose pushes must not give way to its end.
concurrency: docs-\${{ github.event.pull_request.number || github.ref }}
jobs:
  docs:
    # Pull requests of forks get no secrets.
    if: github.event_name == 'push' || github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    env:
      QUIRE_URL: ${url}
    steps:
      - if: github.event.action != 'closed'
        uses: actions/checkout@v4
        with:
          fetch-depth: 2 # what a request changes is what its merge has beside the commit before
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: ${install}
      - if: github.event_name == 'push'
        run: ${quoted(`quire deploy ${word(directory)}`)}
        env:
          ${keySecret}: \${{ secrets.${keySecret} }}
      - if: github.event_name == 'pull_request'
        run: |
          if [ "$ACTION" = closed ]${isUnchanged}; then
            quire preview close "$PREVIEW"
          else
            quire deploy ${word(directory)} --branch "$PREVIEW"
          fi
        env:
          ${keySecret}: \${{ secrets.${keySecret} }}
          GITHUB_TOKEN: \${{ github.token }}
          ACTION: \${{ github.event.action }}
          PREVIEW: pr-\${{ github.event.pull_request.number }}
`
}

/** What a merge request of a fork is told, which has no fault in that. */
const withoutKey = `No preview; ${keySecret} is not given to merge requests of forks, nor to branches that are not protected where it is`

/** Jobs of GitLab CI that do the same for merge requests. */
export function gitlabJobs({ service, directory, main }: WorkflowWish): string {
  const changes = directory === '.' ? '' : `\n      changes: [${quoted(`${directory}/**/*`)}]`
  const variables = service === undefined ? '' : `\n  variables:\n    QUIRE_URL: ${service}`
  return `# ${keySecret}${service === undefined ? ' and QUIRE_URL are variables' : ' is a masked variable'} of the project: Settings, CI/CD, Variables.
.docs:
  image: node:22${variables}
  before_script:
    - env -u ${keySecret} ${install}

docs:
  extends: .docs
  resource_group: docs
  rules:
    - if: $CI_COMMIT_BRANCH == ${JSON.stringify(main)}${changes}
  script:
    - ${quoted(`quire deploy ${word(directory)}`)}

docs preview:
  extends: .docs
  resource_group: docs/$CI_MERGE_REQUEST_IID # its end waits until it is there
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"${changes}
  environment:
    name: docs/$CI_MERGE_REQUEST_IID
    on_stop: docs preview end
  script:
    - if [ -z "$${keySecret}" ]; then echo "${withoutKey}"; exit 0; fi
    - ${quoted(`quire deploy ${word(directory)} --branch "mr-$CI_MERGE_REQUEST_IID"`)}

docs preview end:
  extends: .docs
  resource_group: docs/$CI_MERGE_REQUEST_IID
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
    - if [ -z "$${keySecret}" ]; then exit 0; fi
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
