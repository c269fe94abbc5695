/** The question for a recent proof, with the styles that only it needs. */
import '../../shared/styles/code-field.css'

export { ProofInPlace } from '../../shared/proof/in-place.tsx'
