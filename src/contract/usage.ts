import { Type, type Static } from 'typebox'
import { SlugParams, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'
import { Plan } from './projects.ts'

const unlimited = { description: '`null`: unlimited' }
const Count = Type.Integer({ minimum: 0 })

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
})
export type UsageMeter = Static<typeof UsageMeter>

export const ProjectUsage = Type.Object({
  plan: Plan,
  period: Type.Object({ start: Timestamp, end: Timestamp }, { description: 'The calendar month, UTC' }),
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
  answers: Type.Object(UsageMeter.properties, {
    description: 'A month’s answers to readers. Their limit, and what remains of it, is that of generations',
  }),
  models: Type.Object(
    { inputTokens: Count, outputTokens: Count, costUsd: Type.Number({ minimum: 0 }) },
    {
      description:
        'What language models read and wrote in the period for all projects of the owner. A request that is under way ' +
        'counts by an estimate; a cost is counted where it is known',
    },
  ),
})
export type ProjectUsage = Static<typeof ProjectUsage>

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
}
