/** What becomes of a notification of a server: lists are read anew, who watches hears of it, who waits for it gets it. */
import type { Notification, RequestId } from '../protocol/message.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Link } from './link.ts'
import { withoutSubscription } from './listening.ts'

import type { ListKind, UpstreamEvents } from './upstreams.ts'

/** The lists a notification speaks of. */
const CHANGED: ReadonlyMap<string, readonly ListKind[]> = new Map([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/prompts/list_changed', ['prompts']],
  ['notifications/resources/list_changed', ['resources', 'resourceTemplates']],
])

export interface NotificationParts {
  events: UpstreamEvents
  logger: Logger
  /** The lists of these kinds are others now. */
  changed(link: Link, kinds: readonly ListKind[]): void
}

/** Takes each notification of a connection; `via` is the request that it belongs to. */
export function serverNotifications({ events, logger, changed }: NotificationParts) {
  return (link: Link, notification: Notification, via: RequestId | undefined): void => {
    const { method } = notification
    const kinds = CHANGED.get(method)
    if (kinds) changed(link, kinds)
    else if (link.listening === undefined) {
      if (!link.relay(notification, via)) events.notification(link.server, notification, link.client)
    } else if (method === 'notifications/subscriptions/acknowledged') {
      link.listening.acknowledged(notification, via)
    } else if (method === 'notifications/resources/updated') {
      const plain = withoutSubscription(notification)
      for (const client of link.listening.watchersOf(plain.params?.uri))
        events.notification(link.server, plain, client)
    } else if (!link.relay(notification, via)) {
      logger.debug({ server: link.server, method }, 'a notification of no request was dropped')
    }
  }
}
