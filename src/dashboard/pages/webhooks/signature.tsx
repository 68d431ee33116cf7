import { Card } from '../../ui/card.tsx'
import { Snippet } from '../../ui/copy.tsx'

const snippet = `import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET) // whsec_…

// \`body\` is the text of the request as it came. Throws if it is not from here.
const event = webhook.verify(body, {
  'webhook-id': headers['webhook-id'],
  'webhook-timestamp': headers['webhook-timestamp'],
  'webhook-signature': headers['webhook-signature'],
})`

/** How a receiver knows that a request is ours. */
export function Signature() {
  return (
    <Card
      title="Check that a request is from here"
      description={
        <>
          Requests are signed as{' '}
          <a className="link" href="https://www.standardwebhooks.com/" rel="noreferrer" target="_blank">
            Standard Webhooks
          </a>{' '}
          says, for which there are libraries in most languages: HMAC-SHA256 of <code>id.timestamp.body</code>. The id
          is the same each time that an event is sent: take each only once.
        </>
      }
    >
      <Snippet label="code that checks a signature">{snippet}</Snippet>
    </Card>
  )
}
