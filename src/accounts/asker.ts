import type { Caller } from '../core/caller.ts'
import { sha256 } from '../core/crypto.ts'
import { networkOf } from '../core/network.ts'
import type { Asker } from '../mail/index.ts'

export const askerInNetwork = (network: string): Asker => ({ key: sha256(`network:${network}`), isKnown: false })

/** Who asks for a mail: the session of who is signed in, else the network. */
export const askerOf = (caller: Caller): Asker =>
  caller.kind === 'user'
    ? { key: sha256(`session:${caller.session.id}`), isKnown: false }
    : askerInNetwork(networkOf(caller.address))
