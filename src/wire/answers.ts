import { Answers } from '../answers/answers.ts'
import type { Deploys } from '../deploying/deploys.ts'
import type { Hosting } from '../hosting/hosting.ts'
import type { Models } from '../models/model.ts'
import type { Projects } from '../projects/projects.ts'
import type { Store } from '../storage/store.ts'
import { DailyAnswers } from '../usage/daily-answers.ts'
import type { Closers } from './closers.ts'

interface AnswerParts {
  readonly store: Store
  readonly hosting: Hosting
  readonly projects: Projects
  readonly deploys: Deploys
  readonly models: Models
  readonly now: () => Date
}

/** Answers to readers of sites. */
export function openAnswers(parts: AnswerParts, closers: Closers): Answers {
  const { store, hosting, projects, deploys, models, now } = parts
  const answers = new Answers({
    hosting,
    models,
    daily: new DailyAnswers({ store, now, projectOf: (id) => projects.read(id) }),
    ownerOf: (projectId) => projects.ownerOf(projectId),
    liveRelease: (projectId) => deploys.liveRelease(projectId),
  })
  closers.addReader(async () => answers.close())
  return answers
}
