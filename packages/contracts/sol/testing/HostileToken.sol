// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A hostile token for tests of SpendPermissions
/// @notice Anyone may mint it and set its behaviour.
contract HostileToken is ERC20 {
    /// A transfer returns false and moves nothing.
    bool public returnsFalse;
    /// A transfer returns nothing, as tokens older than ERC-20 do.
    bool public returnsNothing;
    /// The share of each transfer that does not arrive, in hundredths.
    uint256 public feePercent;
    address private _target;
    bytes private _callData;

    /// @notice Reports a call made during a transfer, with its result.
    event CalledBack(bool success, bytes answer);

    constructor() ERC20("Hostile", "HOST") {}

    function mint(address account, uint256 value) external {
        _mint(account, value);
    }

    function behave(bool falseAnswers, bool noAnswers, uint256 percent) external {
        returnsFalse = falseAnswers;
        returnsNothing = noAnswers;
        feePercent = percent;
    }

    /// @notice Makes it call `target` before every transfer; no call if `target` is zero.
    function callBack(address target, bytes calldata callData) external {
        _target = target;
        _callData = callData;
    }

    /// @notice Makes a call as this token; reverts with its reason.
    function run(address target, bytes calldata callData) external {
        (bool success, bytes memory answer) = target.call(callData);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mload(answer))
        }
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        if (_target != address(0)) {
            (bool success, bytes memory answer) = _target.call(_callData);
            emit CalledBack(success, answer);
        }
        if (returnsFalse) return false;
        uint256 fee = (value * feePercent) / 100;
        super.transferFrom(from, to, value);
        if (fee > 0) _burn(to, fee);
        if (!returnsNothing) return true;
        assembly ("memory-safe") {
            return(0, 0)
        }
    }
}
