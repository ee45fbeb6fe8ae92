// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A contract wallet that one key signs for (ERC-1271), for tests
contract SigningWallet is IERC1271 {
    address public signer;

    function setSigner(address newSigner) external {
        signer = newSigner;
    }

    /// @notice Makes a call as this wallet; reverts with its reason.
    function run(address target, bytes calldata callData) external {
        (bool success, bytes memory answer) = target.call(callData);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mload(answer))
        }
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address recovered, ECDSA.RecoverError err,) = ECDSA.tryRecoverCalldata(hash, signature);
        bool isGood = err == ECDSA.RecoverError.NoError && recovered == signer;
        return isGood ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
