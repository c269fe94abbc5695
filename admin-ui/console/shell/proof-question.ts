/** The question for a recent proof, with the styles that only it needs here. */
import '../../hosted/second-factor.css'

export { ProofInPlace } from '../../hosted/account/proof-in-place.tsx'
