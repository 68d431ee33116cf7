import { Type, type Static } from 'typebox'
import { SlugParams, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'
import { Plan } from './projects.ts'

const unlimited = { description: '`null`: unlimited' }
const Count = Type.Integer({ minimum: 0 })

const Period = Type.Object({ start: Timestamp, end: Timestamp }, { description: 'The calendar month, UTC' })
const Models = { inputTokens: Count, outputTokens: Count, costUsd: Type.Number({ minimum: 0 }) }

/** Months that are kept, the running one among them. */
export const usageMonths = 24

export const UsageMeter = Type.Object({
  used: Type.Integer({
    minimum: 0,
    description:
      'By all projects of the plan’s owner. Work that is under way counts; it is given back when nothing comes of it',
  }),
  ofProject: Type.Integer({ minimum: 0, description: 'Of these, by this project' }),
  limit: Type.Union([Count, Type.Null()], unlimited),
  remaining: Type.Union([Count, Type.Null()], unlimited),
  resetsAt: Timestamp,
  shares: Type.Optional(
    Type.Literal('generations', {
      description:
        'It has no limit of its own: `limit` and `remaining` are those of this meter, which others use up, too',
    }),
  ),
})
export type UsageMeter = Static<typeof UsageMeter>

export const StorageUsage = Type.Object({
  used: Type.Integer({ minimum: 0, description: 'Bytes, by all projects of the plan’s owner' }),
  ofProject: Type.Integer({ minimum: 0, description: 'Of these, by this project' }),
  limit: Type.Union([Count, Type.Null()], unlimited),
  remaining: Type.Union([Count, Type.Null()], unlimited),
})
export type StorageUsage = Static<typeof StorageUsage>

export const ProjectUsage = Type.Object({
  plan: Plan,
  period: Period,
  generations: Type.Object(UsageMeter.properties, {
    description:
      'A month’s generations; creating a branch, a message to the assistant and an answer to a reader count as one each',
  }),
  deploys: Type.Object(
    { ...UsageMeter.properties, inPeriod: Type.Integer({ minimum: 0, description: 'In the whole period' }) },
    {
      description:
        'A UTC day’s deploys, publishes and pushes to main. Those that fail or change nothing do not count, nor do rollbacks',
    },
  ),
  agentMessages: Type.Object(UsageMeter.properties, {
    description: 'A month’s messages to the assistant. Their limit, and what remains of it, is that of generations',
  }),
  answers: Type.Object(
    {
      ...UsageMeter.properties,
      today: Type.Optional(
        Type.Object(
          { used: Count, limit: Count },
          { description: 'By readers of this project’s site in the UTC day, which its docs.json limits' },
        ),
      ),
    },
    {
      description:
        'A month’s answers to readers. Their limit, and what remains of it, is that of generations. `today` is absent where the live site answers no questions',
    },
  ),
  storage: Type.Optional({
    ...StorageUsage,
    description:
      'What the disk gives, as it was at most a minute ago: repositories, releases, previews, records. Absent where that cannot be told',
  }),
  models: Type.Object(Models, {
    description:
      'What language models read and wrote in the period for all projects of the owner. A request that is under way ' +
      'counts by an estimate; a cost is counted where it is known',
  }),
})
export type ProjectUsage = Static<typeof ProjectUsage>

const UsedInMonth = Type.Object({
  used: Type.Integer({
    minimum: 0,
    description: 'By all projects of the plan’s owner, those that are removed included',
  }),
  ofProject: Type.Integer({ minimum: 0, description: 'Of these, by this project' }),
})

export const UsageMonth = Type.Object({
  period: Period,
  generations: UsedInMonth,
  deploys: UsedInMonth,
  agentMessages: UsedInMonth,
  answers: UsedInMonth,
  models: Type.Object({
    ...Models,
    ofProject: Type.Object(Models, { description: 'Of these, for this project' }),
  }),
})
export type UsageMonth = Static<typeof UsageMonth>

export const usage = {
  read: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/usage',
    summary: 'Read what is used of the plan',
    description:
      'The plan’s allowance is that of its owner over all of their projects; removing a project does not bring any of it back.',
    access: 'read',
    params: SlugParams,
    reply: ProjectUsage,
    status: 200,
  }),
  history: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/usage/history',
    summary: 'Read what was used in each month',
    description:
      'The running month and those before it, newest first, back to the first of which something is known. What counts ' +
      'as one is said with the usage of the running month.',
    access: 'read',
    params: SlugParams,
    query: Type.Object({
      months: Type.Optional(
        Type.Integer({ minimum: 1, maximum: usageMonths, default: 12, description: 'At most so many' }),
      ),
    }),
    reply: Type.Object({ items: Type.Array(UsageMonth) }),
    status: 200,
  }),
}
